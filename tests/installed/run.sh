#!/usr/bin/env bash
# Installs the built tree into a folder of its own, builds the user's project against that folder
# alone, and checks that program and command agree.
# usage: run.sh SOURCE_DIR BUILD_DIR WORK_DIR CXX_COMPILER
set -euo pipefail
source_dir=$1 build_dir=$2 work_dir=$3 compiler=$4

rm -rf "$work_dir"
cmake --install "$build_dir" --prefix "$work_dir/prefix" >/dev/null
cmake -G Ninja -S "$source_dir/tests/installed" -B "$work_dir/build" \
  -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$work_dir/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work_dir/build" >/dev/null

# The drawings lie where the installed command looks for them.
"$work_dir/prefix/bin/openworld" worlds show doodles:shapes --png "$work_dir/shapes.png" >/dev/null

"$work_dir/prefix/bin/openworld" example "$work_dir/data" >/dev/null
program=$("$work_dir/build/user" "$work_dir/data/gmop.npz")
command=$("$work_dir/prefix/bin/openworld" eval "$work_dir/data/gmop.npz" \
  --metrics openworld_auc --json | grep '"value"' | tr -cd '0-9.')
echo "program: $program, command: $command"
case "$program" in
  "$(printf '%.6f' "$command")"*) ;;
  *) echo "the installed library and the installed command disagree" >&2; exit 1 ;;
esac
