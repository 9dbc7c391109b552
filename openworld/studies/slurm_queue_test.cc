#include "openworld/studies/slurm_queue.h"

#include <gtest/gtest.h>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;
using Names = std::set<std::string>;

TEST(SlurmQueue, FindsTheCellsOfTasksThatAreLeft) {
  const TempFolder folder;
  folder.write("slurm/cells-a.txt", "a\nb\nc\nd\ne\n");
  folder.write("slurm/cells-b.txt", "x\ny\n");
  write_slurm_job(folder / "slurm", {"17", "cells-a.txt", 2});
  write_slurm_job(folder / "slurm", {"170", "cells-b.txt", 1});
  const std::vector<SlurmJob> jobs = read_slurm_jobs(folder / "slurm");
  ASSERT_EQ(jobs.size(), 2u);
  const auto queued = [&](const char* output) {
    return queued_cells(folder / "slurm", jobs, output);
  };
  EXPECT_EQ(queued(""), Names());
  EXPECT_EQ(queued("17_0\n"), (Names{"a", "b"}));
  EXPECT_EQ(queued("17_2\n170_1\n"), (Names{"e", "y"}));
  EXPECT_EQ(queued("170_0"), (Names{"x"}));
  EXPECT_EQ(queued("17_3\n17_99999999999999999999\n17_\n16_0\n17\nnonsense_0\n"), Names());
}

TEST(SlurmQueue, LeavesOutDamagedRecords) {
  const TempFolder folder;
  folder.write("1.json", "");
  folder.write("2.json", R"({"schema":"openworld.study_job/1","job":2})");
  folder.write("3.json", R"({"schema":"other","job":"3","cells":"x","cells_per_task":1})");
  folder.write("4.json",
               R"({"schema":"openworld.study_job/1","job":"4","cells":"x","cells_per_task":0})");
  folder.write("5.log", "text");
  EXPECT_TRUE(read_slurm_jobs(folder / "").empty());
  EXPECT_TRUE(read_slurm_jobs(folder / "missing").empty());
}

TEST(SlurmQueue, ReadsLists) {
  const TempFolder folder;
  EXPECT_EQ(read_cell_list(folder.write("list", "a\n\nb")), (std::vector<std::string>{"a", "b"}));
  EXPECT_ERROR(read_cell_list(folder / "none"), "none: cannot be read");
}

}  // namespace
}  // namespace openworld
