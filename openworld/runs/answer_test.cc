#include "openworld/runs/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

Answer answer(const std::string& path, Side side, const std::string& base_class = "cat",
              const std::string& new_class = "owl") {
  return {.path = path,
          .side = side,
          .r = 0.25,
          .fit = 0.5,
          .base_class = base_class,
          .new_class = new_class,
          .base_probability = 0.75,
          .new_probability = 0.125};
}

TEST(Answer, HasTheClassOfItsSide) {
  EXPECT_EQ(answer("a", Side::kBase).class_name(), "cat");
  EXPECT_EQ(answer("a", Side::kBase).probability(), 0.75);
  EXPECT_EQ(answer("a", Side::kNew).class_name(), "owl");
  EXPECT_EQ(answer("a", Side::kNew).probability(), 0.125);
  EXPECT_EQ(answer("a", Side::kUnknown).class_name(), "");
  const auto json = answer_json(answer("a", Side::kUnknown));
  EXPECT_EQ(json["side"], "unknown");
  EXPECT_TRUE(json["class"].is_null());
  EXPECT_EQ(json["base"]["class"], "cat");
  EXPECT_FALSE(answer_json(answer("a", Side::kNew, "cat", "")).contains("new"));
}

TEST(Answer, AsATable) {
  const std::vector<Answer> answers = {answer("a,\"b\".png", Side::kBase, "cat\n"),
                                       answer("b.png", Side::kUnknown),
                                       answer("c.png", Side::kNew, "cat", "")};
  EXPECT_EQ(answers_csv(answers),
            "path,side,class,probability,r,fit,base_class,base_probability,new_class,"
            "new_probability\n"
            "\"a,\"\"b\"\".png\",base,\"cat\n\",0.75,0.25,0.5,\"cat\n\",0.75,owl,0.125\n"
            "b.png,unknown,,,0.25,0.5,cat,0.75,owl,0.125\n"
            "c.png,new,,,0.25,0.5,cat,0.75,,\n");
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory())
      files.push_back(fs::relative(entry.path().parent_path(), folder) / entry.path().filename());
  }
  std::ranges::sort(files);
  return files;
}

TEST(SortImages, LinksOrCopies) {
  const TempFolder temp;
  const std::string a = temp.write("in/a.png", "A"), b = temp.write("in/b.png", "B"),
                    c = temp.write("other/a.png", "C");
  const std::vector<Answer> answers = {answer(a, Side::kBase), answer(c, Side::kBase),
                                       answer(b, Side::kNew), answer(b, Side::kUnknown)};
  for (const SortedAs as : {SortedAs::kLinks, SortedAs::kCopies}) {
    const std::string out = temp / (as == SortedAs::kLinks ? "links" : "deep/copies");
    sort_images(answers, out + "/", as, "predict");
    EXPECT_EQ(files_in(out), (std::vector<std::string>{"base/cat/a-2.png", "base/cat/a.png",
                                                       "new/owl/b.png", "unknown/b.png"}));
    EXPECT_EQ(testing::read_file(out + "/base/cat/a-2.png"), "C");
    EXPECT_EQ(fs::is_symlink(out + "/unknown/b.png"), as == SortedAs::kLinks);
  }
  EXPECT_EQ(files_in(temp / "in"), (std::vector<std::string>{"./a.png", "./b.png"}));
}

TEST(SortImages, NamesThatLeadElsewhere) {
  const TempFolder temp;
  const std::string image = temp.write("in/a.png", "A");
  std::vector<Answer> answers;
  for (const std::string& name :
       {std::string("../../up"), std::string("/etc"), std::string(".."), std::string("a/b"),
        std::string("a_b"), std::string("a\nb\x1b"), std::string(400, 'x')}) {
    answers.push_back(answer(image, Side::kBase, name));
  }
  sort_images(answers, temp / "out", SortedAs::kLinks, "predict");
  EXPECT_EQ(files_in(temp / "out"),
            (std::vector<std::string>{"base/_./a.png", "base/_._.._up/a.png", "base/_etc/a.png",
                                      "base/a_b-2/a.png", "base/a_b/a.png", "base/a_b_/a.png",
                                      "base/" + std::string(200, 'x') + "/a.png"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(temp / ""), {}), 2);  // in and out
}

TEST(SortImages, OverwritesNothingAndLeavesNothing) {
  const TempFolder temp;
  const std::string image = temp.write("in/a.png", "A");
  temp.write("full/mine.txt", "mine");
  temp.write("file", "mine");
  fs::create_symlink(temp / "in", temp / "link");
  fs::create_directories(temp / "empty");
  const std::vector<Answer> good = {answer(image, Side::kBase)};
  for (const char* name : {"full", "file", "link"}) {
    EXPECT_ERROR(sort_images(good, temp / name, SortedAs::kLinks, "predict"),
                 "is there already; expected a new or an empty folder");
  }
  sort_images(good, temp / "empty", SortedAs::kLinks, "predict");
  EXPECT_EQ(files_in(temp / "empty"), std::vector<std::string>{"base/cat/a.png"});
  const std::vector<Answer> bad = {answer(image, Side::kBase), answer("image[3]", Side::kNew)};
  EXPECT_ERROR(sort_images(bad, temp / "out", SortedAs::kCopies, "predict"),
               "[predict] image[3]: not a file");
  EXPECT_EQ(std::distance(fs::directory_iterator(temp / ""), {}), 5);  // no out, nothing half-made
}

}  // namespace
}  // namespace openworld
