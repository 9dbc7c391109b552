#!/usr/bin/env bash
# Installs the built tree into a folder of its own, builds users' projects against that folder alone, and checks that
# their programs and the command agree.
# usage: run.sh SOURCE_DIR BUILD_DIR WORK_DIR CXX_COMPILER PYTHON
set -euo pipefail
source_dir=$1 build_dir=$2 work_dir=$3 compiler=$4 python=$5

rm -rf "$work_dir"
cmake --install "$build_dir" --prefix "$work_dir/prefix" >/dev/null
projects=(evaluation)
[ -e "$work_dir/prefix/include/openworld/tuning.h" ] && projects+=(models)
# Not optimised: that the programs build and are right matters here, and it takes half the time.
for project in "${projects[@]}"; do
  cmake -G Ninja -S "$source_dir/tests/installed/$project" -B "$work_dir/$project" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work_dir/prefix" \
    -DCMAKE_BUILD_TYPE=None >"$work_dir/$project.log"
  cmake --build "$work_dir/$project" >>"$work_dir/$project.log" || { cat "$work_dir/$project.log" >&2; exit 1; }
done
PYTHONDONTWRITEBYTECODE=1 "$python" "$source_dir/tests/installed/check.py" "$work_dir"
