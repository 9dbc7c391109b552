#pragma once

// Runs another program and waits for it.

#include <functional>
#include <string>
#include <vector>

namespace openworld {

struct ProcessRequest {
  std::vector<std::string> arguments;  // the program, looked for on PATH, and what it is given
  std::string folder = "";             // to run in; "": this one
  std::string output = "";             // a file for its standard output; "": dropped
  std::function<bool()> stop = {};     // asked now and then; true ends the program by SIGTERM
};

struct ProcessResult {
  bool found = true;  // false: there is no such program
  int code = 0;       // exit code; 128 and the number of the signal that ended it
  // Of the lines of its standard error that are not blank, at most 300 characters each.
  std::string first_line, last_line;
};

// Throws Error as [function] if no process can be started. Standard input is empty.
ProcessResult run_process(const ProcessRequest& request, const std::string& function);

}  // namespace openworld
