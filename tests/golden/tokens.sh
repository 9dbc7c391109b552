#!/usr/bin/env bash
# Encodes strings.json with other tokenizers, for the tests of openworld/text to compare with:
# OUT/tokens_node.json with the npm package clip-bpe-js, OUT/tokens_python.json with a rendering in
# Python. What cannot run says why and writes nothing; the tests that need it then skip.
# usage: tokens.sh OUT PYTHON
set -euo pipefail
out=$1
python=$2
here=$(dirname "$0")

# Results are rebuilt only when their inputs changed.
stale() {
  [ ! -s "$1" ] || [ "$here/strings.json" -nt "$1" ] || [ "$2" -nt "$1" ]
}

if ! command -v node >/dev/null || [ ! -d "$out/clip-bpe-js" ]; then
  echo "node or clip-bpe-js is missing: its tokens are not compared"
elif stale "$out/tokens_node.json" "$here/tokens_node.mjs"; then
  node "$here/tokens_node.mjs" "$out/clip-bpe-js" "$here/strings.json" "$out/tokens_node.json.tmp"
  mv "$out/tokens_node.json.tmp" "$out/tokens_node.json"
fi

merges=$out/modelzoo/bpe_simple_vocab_16e6.txt
if ! "$python" -c "import regex" 2>/dev/null || [ ! -f "$merges" ]; then
  echo "$python's regex or modelzoo is missing: tokens are not compared with Python's"
elif stale "$out/tokens_python.json" "$here/tokens_python.py"; then
  "$python" "$here/tokens_python.py" "$merges" "$here/strings.json" "$out/tokens_python.json.tmp"
  mv "$out/tokens_python.json.tmp" "$out/tokens_python.json"
fi
