#include "openworld/cli/command.h"

int main(int argc, char** argv) {
  return openworld::run_command_line(argc, argv);
}
