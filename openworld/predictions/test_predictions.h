#pragma once

// Small predictions in memory, for tests to corrupt.

#include <map>
#include <string>
#include <vector>

#include "openworld/io/test_util.h"

namespace openworld::testing {

// A good file of three samples, one of each side, whose arrays a test replaces or removes.
class Arrays {
 public:
  Arrays() {
    set("side", npy("|i1", "(3,)", std::string("\x00\x01\xff", 3)));
    set("score", npy("<f4", "(3,)", raw<float>({3, 2, 1})));
    set("correct", npy("|b1", "(3,)", std::string("\x01\x00\x00", 3)));
  }
  Arrays& set(const std::string& name, const std::string& bytes) {
    files_[name] = bytes;
    return *this;
  }
  Arrays& drop(const std::string& name) {
    files_.erase(name);
    return *this;
  }
  std::string npz() const {
    std::vector<Member> members;
    for (const auto& [name, bytes] : files_) members.push_back(stored(name + ".npy", bytes));
    return zip_of(members);
  }

 private:
  std::map<std::string, std::string> files_;
};

// The same with logits of 2 base and 1 new names instead of score and correct.
inline Arrays with_logits() {
  return Arrays()
      .drop("score")
      .drop("correct")
      .set("label", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, -7})))
      .set("base_logits", npy("<f4", "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6})))
      .set("new_logits", npy("<f4", "(3, 1)", raw<float>({0, 9, 0})));
}

}  // namespace openworld::testing
