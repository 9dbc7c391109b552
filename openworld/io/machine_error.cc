#include "openworld/io/machine_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace openworld {
namespace {

bool is_about_the_machine(int error) {
  constexpr int kErrors[] = {EIO, EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT};
  return std::ranges::find(kErrors, error) != std::end(kErrors);
}

}  // namespace

void fail_with_errno(const Origin& origin, std::string_view what, int error) {
  try {
    origin.fail(fmt::format("{}: {}", what, std::strerror(error)));
  } catch (const Error& e) {
    if (is_about_the_machine(error)) throw MachineError(e.function(), e.message());
    throw;
  }
}

}  // namespace openworld
