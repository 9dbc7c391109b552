// What a threshold gives, counted exactly. k is the number of samples with r > t, those called base; it is always one of
// the run's boundaries.
//
//   MissRate    base samples turned away or classified wrong        P(r_b <= t or g wrong)
//   HitRate     new samples passed on and classified right          P(r_n <= t, h right)
//   RejectRate  unknown samples kept out of the base classes        P(r_u <= t)

import { BASE_RIGHT, BASE_WRONG, NEW_RIGHT, NEW_WRONG, UNKNOWN } from "./decode.mjs";

const SYMBOLS = 5;

// above[s][i]: samples of symbol s at boundary i, counted from the top.
export function countRun(run) {
  const {symbols, boundaries} = run;
  const above = Array.from({length: SYMBOLS}, () => new Int32Array(boundaries.length));
  const seen = new Int32Array(SYMBOLS);
  for (let i = 0, rank = 0; i < boundaries.length; ++i) {
    for (; rank < boundaries[i]; ++rank) ++seen[symbols[rank]];
    for (let s = 0; s < SYMBOLS; ++s) above[s][i] = seen[s];
  }
  return {...run, above, total: Array.from(seen)};
}

// The index of the last boundary that is at most k.
export function boundaryAt(run, k) {
  let low = 0, high = run.boundaries.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (run.boundaries[middle] <= k) low = middle; else high = middle - 1;
  }
  return low;
}

const share = (count, total) => ({count, total, value: total > 0 ? count / total : NaN});

export function ratesAt(run, at) {
  const {above, total} = run;
  const base = total[BASE_RIGHT] + total[BASE_WRONG], fresh = total[NEW_RIGHT] + total[NEW_WRONG];
  return {
    k: run.boundaries[at],
    threshold: run.boundaries[at] === run.n ? -Infinity : run.r(run.boundaries[at]),
    miss: share(base - above[BASE_RIGHT][at], base),
    hit: share(total[NEW_RIGHT] - above[NEW_RIGHT][at], fresh),
    reject: share(total[UNKNOWN] - above[UNKNOWN][at], total[UNKNOWN]),
  };
}

// How many samples end as each kind, see kinds.mjs.
export function kindCounts(run, at) {
  const {above, total} = run;
  const over = s => above[s][at], under = s => total[s] - above[s][at];
  return {
    right: over(BASE_RIGHT) + under(NEW_RIGHT),
    "wrong-class": over(BASE_WRONG) + under(NEW_WRONG),
    "wrong-side": under(BASE_RIGHT) + under(BASE_WRONG) + over(NEW_RIGHT) + over(NEW_WRONG),
    "unknown-known": over(UNKNOWN),
    "kept-out": under(UNKNOWN),
  };
}

// What the curve has upwards: HitRate, or RejectRate where no sample is new.
export function gainName(run) {
  return run.total[NEW_RIGHT] + run.total[NEW_WRONG] > 0 ? "hit" : "reject";
}

// The boundary with the largest difference of the rate upwards and MissRate; the highest threshold of equals.
export function bestBoundary(run) {
  const gain = gainName(run);
  let best = 0, most = -Infinity;
  for (let i = 0; i < run.boundaries.length; ++i) {
    const rates = ratesAt(run, i);
    const gained = (rates[gain].value || 0) - (rates.miss.value || 0);
    if (gained > most) [best, most] = [i, gained];
  }
  return best;
}

// The highest threshold whose MissRate is at most `miss`; the lowest threshold if none is.
export function boundaryOfMiss(run, miss) {
  let low = 0, high = run.boundaries.length - 1;  // MissRate falls with k
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ratesAt(run, middle).miss.value <= miss + 1e-12) high = middle; else low = middle + 1;
  }
  return low;
}

// Wilson's interval, as proportions.cc.
export function wilson({count, total}, z = 1.959963984540054) {
  if (!(total > 0)) return {low: NaN, high: NaN};
  const p = count / total, zz = z * z / total;
  const middle = (p + zz / 2) / (1 + zz);
  const reach = z / (1 + zz) * Math.sqrt(p * (1 - p) / total + zz / (4 * total));
  return {low: count === 0 ? 0 : middle - reach, high: count === total ? 1 : middle + reach};
}

// Points of the curve, x rising; points closer than `step` to the last are skipped.
export function curvePoints(run, step = 1 / 400) {
  const {above, total} = run;
  const base = total[BASE_RIGHT] + total[BASE_WRONG], up = gainName(run) === "hit" ? NEW_RIGHT : UNKNOWN;
  const gained = up === UNKNOWN ? total[UNKNOWN] : total[NEW_RIGHT] + total[NEW_WRONG];
  const points = [];
  let before = {x: NaN, y: NaN};
  for (let i = run.boundaries.length - 1; i >= 0; --i) {
    const x = (base - above[BASE_RIGHT][i]) / base, y = (total[up] - above[up][i]) / gained;
    if (i !== 0 && Math.abs(x - before.x) < step && Math.abs(y - before.y) < step) continue;
    points.push(before = {x, y, at: i});
  }
  return points;
}

// The area under the curve, by trapezoids: OpenworldAUC with half ties, or OpenAUC where no sample is new.
export function areaUnder(points) {
  let area = 0;
  for (let i = 1; i < points.length; ++i) {
    area += (points[i].x - points[i - 1].x) * (points[i].y + points[i - 1].y) / 2;
  }
  return area;
}

// The corners of the intervals of both rates at a point.
export function corners(run, at) {
  const rates = ratesAt(run, at);
  return {across: wilson(rates.miss), up: wilson(rates[gainName(run)])};
}

// Shares of each side in bins of equal width over r: {low, high, base[], new[], unknown[]}.
export function histogram(run, bins = 40) {
  const high = run.r(0), low = run.r(run.n - 1);
  const result = {low, high, base: new Float64Array(bins), new: new Float64Array(bins),
                  unknown: new Float64Array(bins)};
  const sides = [result.base, result.base, result.new, result.new, result.unknown];
  const base = run.total[BASE_RIGHT] + run.total[BASE_WRONG], fresh = run.total[NEW_RIGHT] + run.total[NEW_WRONG];
  const totals = [base, base, fresh, fresh, run.total[UNKNOWN]];
  const width = (high - low) / bins;
  for (let rank = 0; rank < run.n; ++rank) {
    const bin = width > 0 ? Math.min(bins - 1, Math.max(0, Math.floor((run.r(rank) - low) / width))) : 0;
    const symbol = run.symbols[rank];
    sides[symbol][bin] += 1 / totals[symbol];
  }
  return result;
}
