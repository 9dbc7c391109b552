// Mapping files and writing them atomically.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "openworld/io/atomic_file.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

std::string mapped(const std::string& path) {
  return std::string(as_text(map_file({"f", path}).values));
}

TEST(MapFile, GivesTheBytesAndOutlivesTheName) {
  const TempFolder folder;
  const std::string path = folder.write("a", std::string("x\0y", 3));
  const Bytes bytes = map_file({"f", path});
  const Bytes copy = bytes;
  std::filesystem::remove(path);
  EXPECT_EQ(as_text(copy.values), std::string("x\0y", 3));
}

TEST(MapFile, EmptyFileIsEmpty) {
  const TempFolder folder;
  EXPECT_EQ(mapped(folder.write("empty", "")), "");
}

// Up to 64 KiB are read, more are mapped.
TEST(MapFile, GivesAllBytesOfFilesThatAreReadOrMapped) {
  const TempFolder folder;
  for (const std::size_t size : {1u, 4096u, 65535u, 65536u, 65537u, 200000u}) {
    std::string text(size, 0);
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
    EXPECT_EQ(mapped(folder.write("a", text)), text) << size;
  }
}

TEST(MapFile, SmallFilesStayWhenTheyAreTruncated) {
  const TempFolder folder;
  const std::string text(65536, 'x');
  const std::string path = folder.write("a", text);
  const Bytes bytes = map_file({"f", path});
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  EXPECT_EQ(as_text(bytes.values), text);
}

TEST(MapFile, RefusesWhatIsNoFile) {
  const TempFolder folder;
  EXPECT_ERROR(mapped(folder / "none"), "[f] " + (folder / "none") + ": cannot open: No such file");
  EXPECT_ERROR(mapped(folder / ""), "is a directory; expected a file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(mapped(folder / "pipe"), "is not a regular file");
  const std::string secret = folder.write("secret", "x");
  ASSERT_EQ(::chmod(secret.c_str(), 0), 0);
  if (::geteuid() != 0) {  // root may read everything
    EXPECT_ERROR(mapped(secret), "cannot open: Permission denied");
  }
}

// Too many open files are no property of the file.
TEST(MapFile, TellsTheMachineFromTheFile) {
  const TempFolder folder;
  const std::string path = folder.write("a", "x");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  // The exception outlives the limit: UndefinedBehaviorSanitizer opens a pipe to look at an object.
  std::exception_ptr thrown;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  try {
    mapped(path);
  } catch (...) {
    thrown = std::current_exception();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_NE(thrown, nullptr);
  EXPECT_THROW(std::rethrow_exception(thrown), MachineError);
  EXPECT_ERROR(std::rethrow_exception(thrown),
               "[f] " + path + ": cannot open: Too many open files");
  EXPECT_EQ(mapped(path), "x");
  try {
    mapped(folder / "none");
    FAIL() << "opened a file that does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(dynamic_cast<const MachineError*>(&error), nullptr);
  }
}

TEST(WriteFileAtomically, ReplacesTheContentsAndLeavesNothingElse) {
  const TempFolder folder;
  const std::string path = folder.write("a", "old");
  const Bytes old = map_file({"f", path});
  write_file_atomically(path, "new and longer");
  EXPECT_EQ(testing::read_file(path), "new and longer");
  EXPECT_EQ(as_text(old.values), "old");
  const std::filesystem::directory_iterator files(folder / "");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(WriteFileAtomically, ObeysTheUmask) {
  const TempFolder folder;
  const mode_t mask = ::umask(022);
  write_file_atomically(folder / "a", "");
  ::umask(mask);
  struct stat status;
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644);
}

TEST(WriteFileAtomically, NamesTheFileItCannotWrite) {
  const TempFolder folder;
  EXPECT_ERROR(write_file_atomically(folder / "no/such/a", "x", "save"),
               "[save] " + (folder / "no/such/a") + ": cannot write it, the folder " +
                   (folder / "no/such/") + " is not there: No such file or directory");
  std::filesystem::create_directory(folder / "taken");
  EXPECT_ERROR(write_file_atomically(folder / "taken", "x"),
               "is a directory; expected a regular file, a pipe or a terminal");
  const std::filesystem::directory_iterator files(folder / "");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "the temporary file was left behind";
}

TEST(WriteFileAtomically, FollowsASymlinkAndKeepsIt) {
  const TempFolder folder;
  const std::string target = folder.write("real/a", "old");
  const std::string link = folder / "link", second = folder / "second";
  std::filesystem::create_symlink("real/a", link);
  std::filesystem::create_symlink("link", second);
  write_file_atomically(second, "new");
  EXPECT_EQ(testing::read_file(target), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_symlink(second));
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  EXPECT_ERROR(write_file_atomically(folder / "dangling", "x"),
               "cannot follow this symlink: No such file");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
}

TEST(WriteFileAtomically, WritesIntoAPipe) {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = testing::read_file(path); });
  write_file_atomically(path, "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(WriteFileAtomically, LeavesDevicesAlone) {
  for (const char* device : {"/dev/full", "/dev/null"}) {
    EXPECT_ERROR(write_file_atomically(device, "x", "report"),
                 std::string("[report] ") + device + ": is a device; expected a regular file");
    EXPECT_TRUE(std::filesystem::is_character_file(device));
  }
}

TEST(WriteFileAtomically, WritesToStandardOutputWhateverItIs) {
  const TempFolder folder;
  const std::string path = folder.write("out", "");
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO), file = ::open(path.c_str(), O_WRONLY);
  ASSERT_GE(::dup2(file, STDOUT_FILENO), 0);
  std::fputs("before ", stdout);
  write_file_atomically("/dev/stdout", "inside");
  std::fputs(" after", stdout);
  std::fflush(stdout);
  ASSERT_GE(::dup2(saved, STDOUT_FILENO), 0);
  ::close(saved);
  ::close(file);
  EXPECT_EQ(testing::read_file(path), "before inside after");
}

}  // namespace
}  // namespace openworld
