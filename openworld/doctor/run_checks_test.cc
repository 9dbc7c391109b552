// The checks of runs.

#include <algorithm>
#include <filesystem>

#include "openworld/doctor/test_doctor.h"
#include "openworld/runs/test_util.h"

namespace openworld {
namespace {

using testing::found_by;
using testing::has_text;
using testing::TempFolder;

// A run of the bundled model on images of its classes in the folder, finished.
class RunChecks : public ::testing::Test {
 protected:
  RunChecks() {
    for (const std::string split : {"train", "test"}) {
      for (const std::string& name : full_spec().classes) {
        folder_.write("data/" + split + "/" + name + "/1.png", split + " " + name);
      }
    }
    spec_ = full_spec();
    spec_.model.vocabulary = "";
    spec_.model.sha256 = hex_text(open_clip_checkpoint("pocket").sha256());
    spec_.data = {};
    spec_.data.path = folder_ / "data";
    spec_.data.train_split = "train";
    spec_.data.test_split = "test";
    // Sorted, as folders are: the first two are base.
    spec_.classes = {"bus", "cup", "ice_cream", "sea_horse"};
  }

  Patient open() const { return open_patient(folder_ / "run", {}); }
  void write() const { write_run(folder_ / "run", spec_); }

  TempFolder folder_;
  RunSpec spec_;
};

TEST_F(RunChecks, AWholeRunIsHealthy) {
  write();
  const Patient patient = open();
  EXPECT_EQ(patient.kind, PatientKind::kRun);
  EXPECT_EQ(patient.is_base, (std::vector<std::uint8_t>{1, 1, 0, 0}));
  const Examination found = examine(patient);
  for (const Finding& finding : found.findings) ADD_FAILURE() << finding.what;
  for (const std::string_view check :
       {"reversed-score", "tied-logits", "label-order", "names-order", "unfinished-run",
        "damaged-run", "paths-gone", "images-gone", "other-model", "duplicate-images"}) {
    EXPECT_TRUE(std::ranges::find(found.looked, check) != found.looked.end()) << check;
  }
}

TEST_F(RunChecks, OneWithoutAResultIsNotFinished) {
  write();
  std::filesystem::remove(folder_ / "run/result.json");
  EXPECT_TRUE(has_text(found_by(open(), "unfinished-run"), "it is not finished"));
  EXPECT_EQ(found_by(open(), "paths-gone"), "");
}

TEST_F(RunChecks, ChangedPredictionsAreDamage) {
  write();
  const std::string file = folder_ / "run/predictions.npz";
  std::string bytes = testing::read_file(file);
  bytes[bytes.size() / 2] ^= 1;
  folder_.write("run/predictions.npz", bytes);
  EXPECT_TRUE(has_text(found_by(open(), "damaged-run"), "predictions.npz: its SHA-256 is not"));
}

TEST_F(RunChecks, PathsThatAreGoneAreNamed) {
  spec_.model.path = folder_ / "no model";
  spec_.model.vocabulary = folder_ / "no vocabulary";
  spec_.data.path = folder_ / "no data";
  write();
  const Patient patient = open();
  const std::string found = found_by(patient, "paths-gone");
  for (const char* part : {"no model, is gone", "no vocabulary, is gone", "no data, is gone"}) {
    EXPECT_TRUE(has_text(found, part)) << found;
  }
  EXPECT_FALSE(patient.model.has_value());
  EXPECT_FALSE(patient.data.has_value());
  EXPECT_EQ(patient.predictions.size(), 1u);
}

TEST_F(RunChecks, WhatCannotBeOpenedSaysWhy) {
  std::filesystem::remove_all(folder_ / "data/test");
  write();
  EXPECT_TRUE(has_text(found_by(open(), "paths-gone"), "images cannot be opened"));
}

TEST_F(RunChecks, OtherWeightsAreFound) {
  spec_.model.sha256 = std::string(64, '0');
  write();
  EXPECT_TRUE(has_text(found_by(open(), "other-model"), "expected 000000000000..."));
}

}  // namespace
}  // namespace openworld
