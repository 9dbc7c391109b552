#include "openworld/studies/slurm_script.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

SlurmStudy study_of(std::size_t cells) {
  SlurmStudy study{.program = "/opt/open world/bin/openworld",
                   .folder = "/data/it's",
                   .name = "table 2",
                   .cells = {}};
  for (std::size_t i = 0; i < cells; ++i) study.cells.push_back("cell" + std::to_string(i + 1));
  return study;
}

TEST(SlurmScript, IsWhatAUserWouldWrite) {
  SlurmStudy study = study_of(95);
  study.seconds_per_cell = 30;
  study.flags = {"--retry-failed"};
  const SlurmOptions options{.partition = "gpu",
                             .account = "me",
                             .time = "01:00:00",
                             .cpus = 4,
                             .most_at_once = 8,
                             .extra = {"--mem=8G"}};
  const std::vector<SlurmScript> scripts = slurm_scripts(study, options, 1001);
  ASSERT_EQ(scripts.size(), 1u);
  EXPECT_EQ(scripts[0].cells, 95u);
  EXPECT_EQ(scripts[0].tasks, 10u);
  const std::string list = scripts[0].list_file;
  EXPECT_EQ(scripts[0].text, R"(#!/bin/bash
#SBATCH --job-name=openworld-table_2
#SBATCH --array=0-9%8
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@90
#SBATCH --output=/data/it's/slurm/%A_%a.log
#SBATCH --partition=gpu
#SBATCH --account=me
#SBATCH --time=01:00:00
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
# Each task computes 10 of the cells that are listed in )" +
                                 list + R"(.
first=$((SLURM_ARRAY_TASK_ID * 10 + 1))
last=$((first + 9))
exec '/opt/open world/bin/openworld' study work '/data/it'\''s' --cells '/data/it'\''s/slurm/)" +
                                 list +
                                 R"(' --from "$first" --to "$last" --requeue '--retry-failed'
)");
}

TEST(SlurmScript, ShortCellsShareATaskOfFiveMinutes) {
  EXPECT_EQ(cells_per_task({}, 0.5), 600u);
  EXPECT_EQ(cells_per_task({}, 299.0), 2u);
  EXPECT_EQ(cells_per_task({}, 3600.0), 1u);
  EXPECT_EQ(cells_per_task({}, 0.0), 100'000u);
  EXPECT_EQ(cells_per_task({}, std::nullopt), 10u);
  EXPECT_EQ(cells_per_task({.cells_per_task = 3}, 0.5), 3u);
}

// Every cell is in exactly one task of one array, and no number reaches MaxArraySize.
TEST(SlurmScript, SplitsAtMaxArraySize) {
  const std::vector<SlurmScript> scripts = slurm_scripts(study_of(25), {.cells_per_task = 2}, 5);
  ASSERT_EQ(scripts.size(), 3u);
  const char* const arrays[] = {"--array=0-4\n", "--array=0-4\n", "--array=0-2\n"};
  std::string listed;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NE(scripts[i].text.find(arrays[i]), std::string::npos) << scripts[i].text;
    EXPECT_NE(scripts[i].text.find(scripts[i].list_file), std::string::npos);
    listed += scripts[i].list_text;
  }
  std::string expected;
  for (const std::string& name : study_of(25).cells) expected += name + "\n";
  EXPECT_EQ(listed, expected);
  EXPECT_NE(scripts[0].list_file, scripts[1].list_file);
  EXPECT_EQ(scripts[2].cells, 5u);
  EXPECT_EQ(scripts[2].tasks, 3u);
}

TEST(SlurmScript, TheSameCellsMakeTheSameFiles) {
  const SlurmScript one = slurm_scripts(study_of(3), {}, 5)[0];
  const SlurmScript two = slurm_scripts(study_of(3), {}, 5)[0];
  EXPECT_EQ(one.file, two.file);
  EXPECT_EQ(one.list_file, two.list_file);
  EXPECT_NE(one.file, slurm_scripts(study_of(3), {.cpus = 2}, 5)[0].file);
}

TEST(SlurmScript, NoCellsNeedNoScript) {
  EXPECT_TRUE(slurm_scripts(study_of(0), {}, 1001).empty());
}

TEST(SlurmScript, RefusesLineBreaks) {
  EXPECT_ERROR(slurm_scripts(study_of(1), {.partition = "a\n#SBATCH --uid=0"}, 10),
               "has a line break");
  SlurmStudy study = study_of(1);
  study.folder = "/a\nrm -rf b";
  EXPECT_ERROR(slurm_scripts(study, {}, 10), "has a line break");
}

TEST(SlurmScript, ReadsMaxArraySize) {
  EXPECT_EQ(max_array_size("KillWait = 30 sec\nMaxArraySize            = 4001\nMaxDB = 2"), 4001u);
  EXPECT_EQ(max_array_size("MaxArraySize = "), 1001u);
  EXPECT_EQ(max_array_size("MaxArraySize = none"), 1001u);
  EXPECT_EQ(max_array_size(""), 1001u);
}

TEST(SlurmScript, NamesATaskByItsArray) {
  const char* const names[] = {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"};
  for (const char* name : names) ::unsetenv(name);
  EXPECT_EQ(slurm_task(), std::nullopt);
  ::setenv("SLURM_JOB_ID", "17", 1);
  EXPECT_EQ(slurm_task(), "17");
  ::setenv("SLURM_ARRAY_JOB_ID", "15", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  EXPECT_EQ(slurm_task(), "15_2");
  for (const char* name : names) ::unsetenv(name);
}

}  // namespace
}  // namespace openworld
