#include "openworld/io/subprocess.h"

#include <atomic>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

ProcessResult shell(const std::string& script, ProcessRequest request = {}) {
  request.arguments = {"sh", "-c", script};
  return run_process(request, "test");
}

TEST(RunProcess, GivesTheExitCode) {
  EXPECT_EQ(shell("exit 0").code, 0);
  EXPECT_EQ(shell("exit 7").code, 7);
  EXPECT_EQ(shell("kill -9 $$").code, 137);
}

TEST(RunProcess, KeepsTheFirstAndLastLineOfErrors) {
  EXPECT_EQ(shell("echo out; echo >&2; echo one >&2; echo two >&2").first_line, "one");
  EXPECT_EQ(shell("echo out; echo one >&2; echo two >&2; echo >&2").last_line, "two");
  EXPECT_EQ(shell("printf 'no newline' >&2").last_line, "no newline");
  EXPECT_EQ(shell("true").last_line, "");
  EXPECT_EQ(shell("head -c 1000000 /dev/zero | tr '\\0' x >&2").last_line.size(), 300u);
}

TEST(RunProcess, RunsInItsFolderAndWritesItsOutput) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "in");
  const auto result =
      shell("pwd; cat", {.arguments = {}, .folder = folder / "in", .output = folder / "out"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(testing::read_file(folder / "out"),
            std::filesystem::canonical(folder / "in").string() + "\n");
}

TEST(RunProcess, SaysWhenThereIsNoProgram) {
  const auto result = run_process({.arguments = {"no-such-program-4711"}}, "test");
  EXPECT_FALSE(result.found);
}

TEST(RunProcess, StopsWhenAsked) {
  std::atomic<int> asked = 0;
  const auto result =
      shell("exec sleep 60", {.arguments = {}, .stop = [&] { return ++asked > 1; }});
  EXPECT_EQ(result.code, 128 + 15);
  EXPECT_GE(asked, 2);
}

}  // namespace
}  // namespace openworld
