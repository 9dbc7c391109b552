// What the style and the small modules promise.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { KINDS } from "./kinds.mjs";
import { Runs } from "./runs.mjs";
import { chosen, outcome } from "./samples_view.mjs";
import { drawn, stored } from "./test_runs.mjs";
import { percent, score, shortened } from "./texts.mjs";
import { scale, ticksOf } from "./ticks.mjs";

const css = readFileSync(new URL("page.css", import.meta.url), "utf8");

test("the dark page of the system and of the button are the same", () => {
  const system = /prefers-color-scheme: dark\) \{ :root:not\(\[data-shade="light"\]\) \{([^}]*)\}/.exec(css);
  const button = /^:root\[data-shade="dark"\] \{([^}]*)\}/m.exec(css);
  assert.equal(system[1].trim(), button[1].trim());
});

// WCAG 2: relative luminance.
function contrast(a, b) {
  const light = colour => [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

test("texts and lines stand out in both shades", () => {
  for (const block of [/^:root \{([^}]*)\}/m.exec(css)[1], /^:root\[data-shade="dark"\] \{([^}]*)\}/m.exec(css)[1]]) {
    const colours = Object.fromEntries([...block.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, value]) => [name, value]));
    for (const name of ["text", "soft", "link", "strong"]) {
      for (const back of ["back", "card"]) assert.ok(contrast(colours[name], colours[back]) >= 4.5, `${name} on ${back}`);
    }
    for (let i = 0; i < 7; ++i) assert.ok(contrast(colours[`k${i}`], colours.back) >= 3, `k${i}`);
    assert.ok(contrast(colours.s0, colours.back) >= 4.5 && contrast(colours.s3, colours["s3-text"]) >= 4.5);
  }
});

test("ticks are round and cover the range", () => {
  assert.deepEqual(ticksOf(0, 1).ticks.map(({text}) => text), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(ticksOf(62, 100).ticks.map(({text}) => text), ["60", "70", "80", "90", "100"]);
  for (const [low, high] of [[0, 1e-9], [-3, 17], [5, 5], [-3.4e38, 3.4e38], [1e17, 1e17]]) {
    const {ticks, low: first, high: last} = ticksOf(low, high);
    assert.ok(ticks.length >= 2 && ticks.length <= 10, `${ticks.length} ticks`);
    assert.ok(first <= low && last >= high && last > first);
  }
  assert.equal(scale(0, 10, 100, 200)(5), 150);
});

test("numbers and names are short", () => {
  assert.equal(percent(0.5), "50.00");
  assert.equal(percent(NaN), "-");
  assert.equal(score(-Infinity), "−∞");
  assert.equal(score(0.123456), "0.1235");
  assert.equal(shortened("a".repeat(50), 5), "aaaa…");
  assert.equal(shortened("😀😀😀", 3), "😀😀😀");
});

test("the explorer begins with a threshold that was set, else with the best method", () => {
  const better = drawn(300, 4).map(s => ({...s, r: s.r + (s.side === 0 ? 1 : 0)}));
  const run = (samples, method, own) => ({...stored(samples), method, own});
  const first = runs => new Runs({groups: [{runs}]}).first(0, 1);
  assert.equal(first([run(drawn(300, 4), 0), run(better, 3), run(drawn(300, 5), 7)]), 3);
  assert.equal(first([run(drawn(300, 4), 0, 20), run(better, 3), run(drawn(300, 5), 7)]), 0);
  assert.equal(first([{...run(better, 2), seed: 2}]), 2);
});

test("samples are filtered by kind, side and class", () => {
  const samples = {side: [0, 1, -1, 0], label: [0, 5, -1, 1], methods: [
    {rank: [0, 3, 1, 9], correct: [1, 1, 0, 0], base: [0, 1, 2, 3], new: [5, 5, 6, 6], r: [9, 7, 8, 1]}]};
  assert.deepEqual(outcome(samples, 0, 0, 2), {calledBase: true, kind: "right", answer: 0, r: 9});
  assert.deepEqual(outcome(samples, 3, 0, 2), {calledBase: false, kind: "wrong-side", answer: 6, r: 1});
  const kinds = samples.side.map((_, i) => outcome(samples, i, 0, 2).kind);
  assert.deepEqual(kinds, ["right", "right", "unknown-known", "wrong-side"]);
  assert.deepEqual(chosen(samples, kinds, {kind: "right"}), [0, 1]);
  assert.deepEqual(chosen(samples, kinds, {side: "base"}), [0, 3]);
  assert.deepEqual(chosen(samples, kinds, {side: "new", cls: 5}), [1]);
  assert.deepEqual(chosen(samples, kinds, {}), [0, 1, 2, 3]);
  assert.ok(kinds.every(kind => KINDS.some(({name}) => name === kind)));
});
