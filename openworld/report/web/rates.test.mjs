import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeRun } from "./decode.mjs";
import { kindOf } from "./kinds.mjs";
import * as rates from "./rates.mjs";
import { Runs } from "./runs.mjs";
import { drawn, naive, stored } from "./test_runs.mjs";

const counted = samples => rates.countRun(decodeRun(stored(samples)));

test("rates of every threshold are those of the definitions", () => {
  for (const n of [1, 2, 7, 300, 301]) {
    const samples = drawn(n, n);
    const run = counted(samples);
    const thresholds = new Set(samples.map(({r}) => r));
    assert.equal(run.boundaries.length, thresholds.size + 1);
    for (let i = 0; i < run.boundaries.length; ++i) {
      const found = rates.ratesAt(run, i);
      const expected = naive(samples, found.threshold);
      assert.equal(found.k, expected.k);
      assert.equal(found.miss.value, expected.miss);
      assert.equal(found.hit.value, expected.hit);
      assert.equal(found.reject.value, expected.reject);
    }
  }
});

test("kinds are those of the samples one by one, and add up", () => {
  const samples = drawn(200, 5);
  const run = counted(samples);
  for (let i = 0; i < run.boundaries.length; ++i) {
    const {threshold} = rates.ratesAt(run, i);
    const expected = {};
    for (const {side, r, right} of samples) {
      const kind = kindOf(side, right, r > threshold);
      expected[kind] = (expected[kind] ?? 0) + 1;
    }
    const found = rates.kindCounts(run, i);
    for (const [kind, count] of Object.entries(found)) assert.equal(count, expected[kind] ?? 0, kind);
  }
});

test("a sample is judged by what it is called, not by its true side", () => {
  assert.equal(kindOf(0, true, true), "right");
  assert.equal(kindOf(0, true, false), "wrong-side");
  assert.equal(kindOf(0, false, true), "wrong-class");
  assert.equal(kindOf(1, true, true), "wrong-side");
  assert.equal(kindOf(1, true, false), "right");
  assert.equal(kindOf(-1, true, true), "unknown-known");
  assert.equal(kindOf(-1, false, false), "kept-out");
});

test("the best boundary has the largest gain, and boundaries are found by k and by MissRate", () => {
  const samples = drawn(150, 9);
  const run = counted(samples);
  const all = Array.from(run.boundaries, (_, i) => rates.ratesAt(run, i));
  const gains = all.map(({hit, miss}) => hit.value - miss.value);
  assert.equal(rates.bestBoundary(run), gains.indexOf(Math.max(...gains)));
  for (let i = 0; i < run.boundaries.length; ++i) {
    assert.equal(rates.boundaryAt(run, run.boundaries[i]), i);
    const same = rates.boundaryOfMiss(run, all[i].miss.value);
    assert.ok(all[same].miss.value <= all[i].miss.value + 1e-12);
    assert.ok(same === 0 || all[same - 1].miss.value > all[i].miss.value + 1e-12);
  }
  assert.equal(rates.boundaryOfMiss(run, -1), run.boundaries.length - 1);
});

test("Wilson's interval is that of proportions_test.cc", () => {
  // 10 of 100 at 95 %: R's binom::binom.wilson(10, 100).
  const {low, high} = rates.wilson({count: 10, total: 100});
  assert.ok(Math.abs(low - 0.05522914) < 1e-8 && Math.abs(high - 0.17436566) < 1e-8);
  assert.equal(rates.wilson({count: 0, total: 5}).low, 0);
  assert.equal(rates.wilson({count: 5, total: 5}).high, 1);
  assert.ok(Number.isNaN(rates.wilson({count: 0, total: 0}).low));
});

test("the area below the curve is OpenworldAUC with half ties", () => {
  const samples = drawn(400, 3);
  const run = counted(samples);
  const area = rates.areaUnder(rates.curvePoints(run, 0));
  const base = samples.filter(({side}) => side === 0), fresh = samples.filter(({side}) => side === 1);
  let pairs = 0;
  for (const b of base) for (const f of fresh) if (b.right && f.right) pairs += b.r > f.r ? 1 : b.r === f.r ? 0.5 : 0;
  assert.ok(Math.abs(area - pairs / (base.length * fresh.length)) < 1e-12);
});

test("thinned curves keep their ends and stay close", () => {
  const run = counted(drawn(3000, 8));
  const all = rates.curvePoints(run, 0), some = rates.curvePoints(run, 0.05);
  assert.ok(some.length < all.length && some.length >= 2);
  assert.deepEqual([some[0], some.at(-1)], [all[0], all.at(-1)]);
  const {across, up} = rates.corners(run, some[1].at);
  assert.ok(across.low <= some[1].x && some[1].x <= across.high && up.low <= some[1].y && some[1].y <= up.high);
});

test("histograms hold every sample of a side once", () => {
  const found = rates.histogram(counted(drawn(500, 2)));
  for (const side of ["base", "new", "unknown"]) {
    assert.ok(Math.abs(found[side].reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
  }
  const flat = rates.histogram(counted([{side: 0, r: 2, right: true}, {side: 1, r: 2, right: true}]));
  assert.equal(flat.base[0], 1);
});

test("without new samples the curve is of RejectRate", () => {
  const run = counted([{side: 0, r: 1, right: true}, {side: -1, r: 0, right: false}]);
  assert.equal(rates.gainName(run), "reject");
  assert.equal(rates.bestBoundary(run), 1);
  assert.ok(Number.isNaN(rates.ratesAt(run, 0).hit.value));
});

test("r between stored values is interpolated, counts stay exact", () => {
  const samples = Array.from({length: 1001}, (_, i) => ({side: i % 2, r: i / 1000, right: true}));
  const run = rates.countRun(decodeRun(stored(samples, {values: 11})));
  assert.equal(run.exact, false);
  for (const rank of [0, 3, 500, 777, 1000]) assert.ok(Math.abs(run.r(rank) - (1 - rank / 1000)) < 1e-6);
  assert.equal(run.boundaries.length, 1002);
});

test("two bits a sample say the same as four", () => {
  const samples = Array.from({length: 103}, (_, i) => ({side: i % 2, r: (i * 37) % 103, right: i % 3 > 0}));
  const [two, four] = [2, 4].map(bits => decodeRun(stored(samples, {bits})));
  assert.deepEqual(two.symbols, four.symbols);
  assert.deepEqual(two.boundaries, four.boundaries);
});

test("other methods are compared at the same MissRate", () => {
  const runs = new Runs({groups: [{runs: [stored(drawn(200, 1)), {...stored(drawn(200, 1)), method: 1, own: 40}]}]});
  const first = runs.find(0, 0, 1), second = runs.find(0, 1, 1);
  assert.equal(runs.find(0, 7, 1), null);
  assert.deepEqual(runs.methods(0), [0, 1]);
  assert.equal(runs.comparable(first, first, 5), 5);
  const at = runs.comparable(second, first, 9);
  assert.ok(rates.ratesAt(second, at).miss.value <= rates.ratesAt(first, 9).miss.value + 1e-12);
  assert.equal(second.boundaries[runs.start(second)] <= 40, true);
  assert.equal(runs.start(first), rates.bestBoundary(first));
});
