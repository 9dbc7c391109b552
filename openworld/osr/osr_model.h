#pragma once

// A network with a head: what a run learns, saves and scores with.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/osr/method.h"
#include "openworld/osr/network.h"
#include "openworld/osr/samples.h"

namespace openworld {

// What a model is made from.
struct OsrModelSpec {
  std::string method, net;
  OptionValues options = {};  // of the method; the rest have their defaults
  std::int64_t classes = 0;   // known
  std::int64_t input = 3;     // channels, or width of features
  int norm_sets = 0;          // 0: what the method needs
  std::uint64_t seed = 1;
};

// Scores of samples, by row.
struct OsrPredictions {
  std::vector<float> logits;  // [n, classes]
  std::vector<float> score;   // [n], larger is more known
};

class OsrModel {
 public:
  // With first values. Throws Error, as [osr], for a method or net that is not there, an option
  // that is not the method's, and a method that generates images with a net that takes none.
  explicit OsrModel(const OsrModelSpec& spec);

  const OsrMethodRow& method() const { return *method_; }
  const OsrOptions& options() const { return *options_; }
  const NetworkRow& net() const { return *row_; }
  Network& network() const { return *network_; }
  OsrHead& head() const { return *head_; }
  std::int64_t classes() const { return classes_; }

  // What is learned, network and head together, under the names of the published files. Leaves.
  NamedTensors parameters() const;
  std::int64_t parameter_count() const;

  OsrPredictions predict(const OsrSamples& samples, int threads) const;

  // A safetensors file, whole or not there. Throw Error that names the file.
  void save(const std::string& path) const;
  void load(const std::string& path);

 private:
  const OsrMethodRow* method_;
  const NetworkRow* row_;
  std::unique_ptr<OsrOptions> options_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<OsrHead> head_;
  std::int64_t classes_;
};

// vgg32 or small with weights of a file of PyTorch or safetensors: the state dict of a network,
// with or without "module." before its names; and, for methods with centres, `criterion`, the state
// dict of the loss, which ARPL's code writes beside it. The number of classes is that of the file.
// Throws one Error that names all tensors that are missing, unexpected or of another shape.
struct PublishedOsrModel {
  std::string net = "vgg32", method = "softmax";
  std::string weights, criterion = "";
  std::vector<std::string> options = {};  // "key=value", of the method
};
OsrModel open_published_model(const PublishedOsrModel& request);

}  // namespace openworld
