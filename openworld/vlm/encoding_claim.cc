#include "openworld/vlm/encoding_claim.h"

#include <filesystem>
#include <utility>

namespace openworld {
namespace {

namespace fs = std::filesystem;

std::string claim_file(const std::string& folder,
                       const std::map<Sha256Digest, std::size_t>& images) {
  std::string bytes;
  for (const auto& [image, sample] : images) {
    bytes.append(reinterpret_cast<const char*>(image.data()), image.size());
  }
  const std::string hash = hex_text(sha256(std::as_bytes(std::span(bytes))));
  return (fs::path(folder) / (hash.substr(0, 32) + ".lease")).string();
}

}  // namespace

EncodingClaim::EncodingClaim(FeatureStore& store, const std::map<Sha256Digest, std::size_t>& images)
    : store_(store),
      path_(claim_file(store.folder(), images)),
      clock_((fs::path(store.folder()) / ".clock").string()) {}

bool EncodingClaim::take() {
  store_.make_folder();
  std::optional<Lease> lease = Lease::claim(path_, clock_, "image_features");
  if (lease) {
    remove_half_made_leases(store_.folder(), clock_);
    keeper_.keep(std::move(*lease));
  }
  store_.refresh();
  return lease.has_value();
}

std::optional<std::string> EncodingClaim::owner() {
  const std::optional<LeaseState> state = look_at_lease(path_, clock_);
  if (!state) return std::nullopt;
  return owner_text(state->owner);
}

}  // namespace openworld
