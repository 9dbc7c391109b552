#include "openworld/worlds/templates.h"

#include <set>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

std::set<std::string> as_set(const std::string& name) {
  const auto& templates = find_template_set(name).templates;
  std::set<std::string> unique(templates.begin(), templates.end());
  EXPECT_EQ(unique.size(), templates.size()) << name;
  return unique;
}

TEST(TemplateSets, HaveTheSizesOfThePapers) {
  EXPECT_EQ(as_set("photo"), std::set<std::string>{"a photo of a {}."});
  EXPECT_EQ(as_set("select7").size(), 7u);
  EXPECT_EQ(as_set("imagenet80").size(), 80u);
  EXPECT_EQ(as_set("promptsrc60").size(), 60u);
  EXPECT_EQ(as_set("doodles7").size(), 7u);
  EXPECT_EQ(template_sets().size(), 5u + 15u);
}

TEST(TemplateSets, AreNested) {
  const std::set<std::string> all = as_set("imagenet80");
  for (const char* name : {"photo", "select7", "promptsrc60"}) {
    for (const std::string& text : as_set(name)) EXPECT_TRUE(all.count(text)) << text;
  }
  // One of each kind of sentence.
  for (const char* text :
       {"a jpeg corrupted photo of the {}.", "a photo of a hard to see {}.", "a photo of many {}.",
        "graffiti of the {}.", "itap of my {}.", "a origami {}.", "the {} in a video game."}) {
    EXPECT_TRUE(all.count(text)) << text;
  }
}

TEST(TemplateSets, HaveOnePlaceAndASource) {
  for (const TemplateSet& set : template_sets()) {
    EXPECT_FALSE(set.description.empty()) << set.name;
    EXPECT_FALSE(set.source.empty()) << set.name;
    EXPECT_FALSE(set.templates.empty()) << set.name;
    for (const std::string& text : set.templates) {
      EXPECT_NE(text.find("{}"), std::string::npos) << text;
      EXPECT_EQ(text.find("{}"), text.rfind("{}")) << text;
    }
  }
}

TEST(TemplateSets, AreFoundByName) {
  EXPECT_EQ(find_template_set("oxford_pets").templates[0], "a photo of a {}, a type of pet.");
  EXPECT_EQ(find_template_set("ImageNet-V2").name, "ImageNetV2");
  EXPECT_ERROR(
      find_template_set("imagenet81"),
      "no template set \"imagenet81\"; did you mean imagenet80? There are photo, select7, ");
  EXPECT_ERROR(resolve_templates("imagent"), "did you mean ImageNet? There are photo, select7, ");
}

// As their repositories have them, one of each kind.
TEST(CustomTemplate, DiffersByMethod) {
  using enum TemplateStyle;
  EXPECT_EQ(custom_template("DescribableTextures"), "{} texture.");
  EXPECT_EQ(custom_template("describable_textures", kKgCoop),
            "a photo of a {}, a type of texture.");
  EXPECT_EQ(custom_template("FGVCAircraft", kTcp), "a photo of an aircraft {}.");
  EXPECT_EQ(custom_template("FGVCAircraft", kKgCoop), "a photo of a {}, a type of aircraft.");
  EXPECT_EQ(custom_template("Food101", kProGrad), "a type of food, a photo of {}.");
  EXPECT_EQ(custom_template("EuroSAT", kProGrad), "a centered satellite photo of {}.");
  EXPECT_EQ(custom_template("SUN397", kTcp), "a photo of a {}.");
  EXPECT_ERROR(custom_template("MNIST"), "no dataset \"MNIST\"; there are ImageNet,");
}

TEST(LoadTemplates, TakesOneALine) {
  const TempFolder folder;
  const std::string path = folder.write("t.txt", "a {}.\r\n\nthe {c}, a {}\nein schönes {}");
  const std::vector<std::string> expected = {"a {}.", "the {}, a {}", "ein schönes {}"};
  EXPECT_EQ(load_templates(path), expected);
  EXPECT_EQ(resolve_templates(path), expected);
}

TEST(LoadTemplates, RefusesWhatHasNoPlace) {
  const TempFolder folder;
  const std::string path = folder.write("t.txt", "a {}.\na photo\n");
  EXPECT_ERROR(load_templates(path), path + ": line 2 is \"a photo\"; expected {} where");
  EXPECT_ERROR(load_templates(folder.write("e.txt", "\n\n")), "has no templates");
  EXPECT_ERROR(load_templates(folder.write("l.txt", "caf\xe9 {}")), "is not valid UTF-8");
  EXPECT_ERROR(load_templates(folder / "none"), "cannot open");
}

TEST(ResolveTemplates, TakesASentenceOrAName) {
  EXPECT_EQ(resolve_templates("one {}"), std::vector<std::string>{"one {}"});
  EXPECT_EQ(resolve_templates("select7").size(), 7u);
  EXPECT_ERROR(resolve_templates("no_such_file.txt"), "no template set");
}

TEST(Fill, PutsTheNameInEveryPlace) {
  EXPECT_EQ(fill("a {}, {}.", "dog"), "a dog, dog.");
  EXPECT_EQ(fill("a {}.", "{}"), "a {}.");
  EXPECT_EQ(fill("none", "dog"), "none");
  EXPECT_EQ(spaced("american_pit_bull"), "american pit bull");
}

}  // namespace
}  // namespace openworld
