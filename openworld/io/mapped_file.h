#pragma once

// A file as bytes in memory without reading it: pages come in when they are touched. A small file
// is read, which is as fast.

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

// Maps the regular file `origin.file` read-only, or reads it if it is small; the bytes live as long
// as a copy of the result.
// An empty file gives empty bytes. Throws Error if the file is missing, unreadable or not a
// regular file.
//
// The file must not shrink while it is mapped: the kernel then sends SIGBUS. Files replaced by
// rename, as this project writes them, are safe.
Bytes map_file(const Origin& origin);

// From here on a mapped file that shrinks ends the process with one line that names it, written to
// standard error, and exit code 2. For programs; a library leaves SIGBUS to its host.
void exit_when_mapped_files_shrink();

}  // namespace openworld
