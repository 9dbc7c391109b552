// Switches a process to the locale of its environment before main, as programs that embed the
// library do and as Python code can; openworld itself never does. Preloaded. A process in which the
// decimal point did not become a comma ends here, so that no test passes without the locale.

#include <cstdio>
#include <cstring>
#include <locale>
#include <stdexcept>

#include <unistd.h>

namespace {

__attribute__((constructor)) void switch_locale() {
  try {
    std::locale::global(std::locale(""));  // also the one of C
  } catch (const std::runtime_error&) {
    std::fputs("locale_shim: no such locale\n", stderr);
    _exit(99);
  }
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", 1.5);
  if (std::strcmp(text, "1,5") == 0) return;
  std::fprintf(stderr, "locale_shim: 1.5 prints as %s; expected a decimal comma\n", text);
  _exit(99);
}

}  // namespace
