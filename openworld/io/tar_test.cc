#include "openworld/io/tar.h"

#include "openworld/io/test_tar.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::tar_end;
using testing::tar_file;
using testing::tar_header;
using testing::tar_padded;

TarArchive tar(const std::string& bytes) {
  return TarArchive(make_bytes(bytes), {"f", "a.tar"});
}

// "name=data name=data".
std::string listing(const std::string& bytes) {
  const TarArchive archive = tar(bytes);
  std::string text;
  for (const TarMember& member : archive.members()) {
    text += (text.empty() ? "" : " ") + member.name + "=" +
            std::string(as_text(archive.read(member).values));
  }
  return text;
}

std::string pax(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

TEST(Tar, ListsRegularFiles) {
  EXPECT_EQ(listing(tar_file("a", "1") + tar_file("b/c", "") + tar_end()), "a=1 b/c=");
  EXPECT_EQ(listing(tar_end()), "");
  EXPECT_EQ(listing(tar_file("a", "1")), "a=1");  // without an end
  EXPECT_EQ(listing(tar_file("a", "1").substr(0, 513)), "a=1");
  EXPECT_EQ(listing(tar_file("a", "1") + tar_end() + "junk"), "a=1");
  EXPECT_EQ(listing(tar_file("a", std::string(512, 'x')) + tar_file("b", "2")),
            "a=" + std::string(512, 'x') + " b=2");
}

TEST(Tar, PassesOverWhatIsNoFile) {
  std::string bytes = tar_header("d/", 0, '5') + tar_header("link", 0, '2');
  bytes += tar_header("hard", 77, '1');  // some writers give the size of what it links to
  bytes += tar_file("global", pax("path", "wrong"), 'g') + tar_file("?", "data", 'Z');
  bytes += tar_header("v7/", 0, '\0') + tar_file("a", "1");
  EXPECT_EQ(listing(bytes + tar_end()), "a=1");
}

TEST(Tar, KnowsTheFormsOfLongNames) {
  const std::string name(300, 'n');
  EXPECT_EQ(listing(tar_file("././@LongLink", name + '\0', 'L') + tar_file("n", "1")), name + "=1");
  EXPECT_EQ(listing(tar_file("pax", pax("mtime", "1.5") + pax("path", name), 'x') +
                    tar_file("n", "1") + tar_file("b", "2")),
            name + "=1 b=2");
  EXPECT_EQ(listing(tar_header("n", 0, '0', "folder/deep")), "folder/deep/n=");
  // A link takes the name that was meant for it along.
  EXPECT_EQ(listing(tar_file("x", pax("path", "link"), 'x') + tar_header("l", 0, '2') +
                    tar_file("a", "1")),
            "a=1");
}

TEST(Tar, KnowsSizesPastOctal) {
  std::string header = tar_header("a", 0);
  const auto resum = [&] {
    unsigned sum = 0;
    header.replace(148, 8, "        ");
    for (const char c : header) sum += static_cast<unsigned char>(c);
    header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  };
  header.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12));
  resum();
  EXPECT_EQ(listing(header + tar_padded("123")), "a=123");
  header.replace(124, 12, std::string(12, '\xff'));
  resum();
  EXPECT_ERROR(tar(header), "has size");
  EXPECT_EQ(listing(tar_file("x", pax("size", "3"), 'x') + tar_header("a", 0) + tar_padded("123")),
            "a=123");
  // It is the file's size, not that of another header in between.
  EXPECT_EQ(listing(tar_file("x", pax("size", "3"), 'x') + tar_file("l", "long", 'L') +
                    tar_header("a", 0) + tar_padded("123")),
            "long=123");
}

TEST(Tar, RefusesDamage) {
  EXPECT_ERROR(tar(""), "[f] a.tar: is empty; expected a tar archive");
  EXPECT_ERROR(tar("short"), "tar member at offset 0 is cut off after 5 bytes of its header");
  EXPECT_ERROR(tar(std::string(512, 'x')), "expected a number in octal");
  std::string wrong = tar_file("a", "1");
  wrong[0] = 'b';
  EXPECT_ERROR(tar(wrong), "in its header; expected");
  EXPECT_ERROR(tar(tar_file("a", "1") + tar_header("b", 1)),
               "tar member at offset 1024 has data of 1 bytes; only 0 are left");
  EXPECT_ERROR(tar(tar_file("x", pax("size", "99999999999999999999"), 'x') + tar_header("a", 0)),
               "has the pax size");
  EXPECT_ERROR(tar(tar_file("x", pax("size", "18446744073709551615"), 'x') + tar_header("a", 0)),
               "only 0 are left");
  for (const char* text : {"x", "99 path=a\n", "3 a\n", "0 path=a\n", "10 path=ab", "6 path\n"}) {
    EXPECT_ERROR(tar(tar_file("x", text, 'x') + tar_file("a", "1")), "pax");
  }
  EXPECT_ERROR(tar(tar_file("a", "1", 'S')), "is a sparse file");
  EXPECT_ERROR(tar(tar_file("x", pax("GNU.sparse.major", "1"), 'x')), "is a sparse file");
  EXPECT_ERROR(tar(tar_file("l", std::string(5000, 'n'), 'L')), "has a long name of 5000 bytes");
  EXPECT_ERROR(tar(tar_file("x", pax("path", std::string(5000, 'n')), 'x') + tar_file("a", "1")),
               "has a name of 5000 bytes");
  EXPECT_ERROR(tar(tar_file("l", "name", 'L')), "is missing after its long name");
}

}  // namespace
}  // namespace openworld
