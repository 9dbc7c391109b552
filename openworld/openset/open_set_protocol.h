#pragma once

// The open-set tests that predictions can be of, by the name that their `meta` has as `protocol`.

namespace openworld {

// Of classifiers: each image is also classified with its own class taken off the list.
inline constexpr const char* kLeaveOneOutProtocol = "open-set, leave one class out";

// Of detectors: each image is also searched for classes that it does not have.
inline constexpr const char* kAbsentClassesProtocol = "open-set, absent classes";

}  // namespace openworld
