import assert from "node:assert/strict";
import { test } from "node:test";
import { parseState, stateText } from "./state.mjs";

test("what is written is read again", () => {
  const state = {d: 1, m: 2, s: 3, k: 340, page: 2, kind: "wrong-side", side: "new", class: "7", of: "1", classes: 1, among: "all", loss: 2, shade: "dark", at: "s3",
                 off: new Set([3, 0]), sort: [2, 1, true]};
  assert.deepEqual(parseState(stateText(state)), {...state, off: new Set([0, 3])});
  assert.equal(stateText({off: new Set()}), "");
});

test("what makes no sense is left out", () => {
  assert.deepEqual(parseState("#d=-1&m=x&k=1e9&kind=%3Cb%3E&off=1,a,99999999&sort=1.2&at=a%20b"), {off: new Set([1])});
  assert.deepEqual(parseState("#s4"), {off: new Set()});
});
