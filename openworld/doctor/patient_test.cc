#include "openworld/doctor/patient.h"

#include <algorithm>

#include "openworld/doctor/test_doctor.h"
#include "openworld/io/safetensors.h"
#include "openworld/predictions/test_predictions.h"

namespace openworld {
namespace {

using testing::Arrays;
using testing::npy;
using testing::raw;
using testing::TempFolder;

TEST(Patient, IsRecognised) {
  const TempFolder folder;
  const auto kind = [&](const std::string& name, const std::string& bytes) {
    return recognise_patient(folder.write(name, bytes));
  };
  EXPECT_EQ(kind("p.npz", Arrays().npz()), PatientKind::kPredictions);
  EXPECT_EQ(kind("p.csv", "side,score,correct\n0,1,1\n"), PatientKind::kPredictions);
  EXPECT_EQ(kind("d.csv", "path,label\na.png,0\n"), PatientKind::kData);
  EXPECT_EQ(kind("list.txt", "a.png 0\n"), PatientKind::kData);
  EXPECT_EQ(kind("model.safetensors", ""), PatientKind::kModel);
  EXPECT_EQ(kind("f.npy", npy("<f4", "(1, 1)", raw<float>({1}))), PatientKind::kFeatures);
  const std::vector<float> ones = {1, 1};
  const auto tensors = [&](const std::string& name) {
    write_safetensors(folder / "t.safetensors", {{name, TensorType::kF32, {1, 2}}},
                      [&](std::size_t) { return std::as_bytes(std::span(ones)); });
    return recognise_patient(folder / "t.safetensors");
  };
  EXPECT_EQ(tensors("image_embeds"), PatientKind::kFeatures);
  EXPECT_EQ(tensors("visual.proj"), PatientKind::kModel);
  EXPECT_EQ(recognise_patient("doodles:animals"), PatientKind::kData);
  EXPECT_EQ(recognise_patient("pocket"), PatientKind::kModel);
  folder.write("images/cat/1.png", "");
  EXPECT_EQ(recognise_patient(folder / "images"), PatientKind::kData);
  folder.write("run/run.json", "{}");
  EXPECT_EQ(recognise_patient(folder / "run"), PatientKind::kRun);
  folder.write("arrays/side.npy", "");
  EXPECT_EQ(recognise_patient(folder / "arrays"), PatientKind::kPredictions);
}

TEST(Patient, WhatIsNoneIsRefused) {
  const TempFolder folder;
  EXPECT_ERROR(recognise_patient(folder / "nothing"), "does not exist; expected predictions");
  EXPECT_ERROR(recognise_patient("poket"), "poket: does not exist; did you mean pocket? Expected");
  EXPECT_ERROR(recognise_patient("doodels:food"), "did you mean doodles:food? Expected");
  EXPECT_ERROR(recognise_patient(folder.write("photo.jpg", "")), "is not known by its name");
  EXPECT_ERROR(recognise_patient(folder.write("x.npz", Arrays().drop("side").npz())),
               "has neither an array side nor features");
}

TEST(Patient, OpensEverySplit) {
  const TempFolder folder;
  const auto splits = [](const DataPart& data) {
    std::vector<std::string> names;
    for (const Dataset& split : data.splits) names.push_back(split.split);
    std::ranges::sort(names);
    return names;
  };
  for (const std::string split : {"train", "val", "test"}) {
    folder.write("images/" + split + "/cat/1.png", split);
  }
  EXPECT_EQ(splits(open_all_splits(folder / "images", {})),
            (std::vector<std::string>{"test", "train", "val"}));
  EXPECT_EQ(splits(open_all_splits(folder / "images", {.split = "val"})),
            std::vector<std::string>{"val"});
  EXPECT_EQ(splits(open_all_splits(folder / "images/train", {})), std::vector<std::string>{""});
  EXPECT_EQ(splits(open_all_splits("doodles:animals", {})),
            (std::vector<std::string>{"pretrain", "test", "train"}));
}

}  // namespace
}  // namespace openworld
