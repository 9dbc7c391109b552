// Runs for tests: as ranked_codes.cc writes them, from plain lists, and rates counted one sample at a time.

export function stored(samples, {values = samples.length, bits = 4} = {}) {
  const sorted = samples.map((sample, row) => ({...sample, row})).sort((a, b) => b.r - a.r || a.row - b.row);
  const bytes = new Uint8Array((sorted.length * bits + 7) >> 3);
  sorted.forEach(({side, right}, i) => {
    const symbol = side < 0 ? 4 : 2 * side + (right ? 0 : 1);
    const tied = i > 0 && sorted[i].r === sorted[i - 1].r ? 8 : 0;
    bytes[(i * bits) >> 3] |= (symbol | tied) << ((i * bits) & 7);
  });
  const known = Array.from({length: values}, (_, i) =>
    sorted[values === sorted.length ? i : Math.round(i * (sorted.length - 1) / (values - 1))].r);
  return {method: 0, seed: 1, n: samples.length, bits, codes: text(bytes), values: text(new Uint8Array(Float32Array.from(known).buffer))};
}

const text = bytes => Buffer.from(bytes).toString("base64");

// By the definitions, for a threshold t.
export function naive(samples, t) {
  const count = test => samples.filter(test).length;
  const base = count(s => s.side === 0), fresh = count(s => s.side === 1), unknown = count(s => s.side < 0);
  return {k: count(s => s.r > t), miss: count(s => s.side === 0 && (s.r <= t || !s.right)) / base,
          hit: count(s => s.side === 1 && s.r <= t && s.right) / fresh,
          reject: count(s => s.side < 0 && s.r <= t) / unknown};
}

// Pseudo-random samples, with ties.
export function drawn(n, seed = 1) {
  let state = seed;
  const next = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  return Array.from({length: n}, () => {
    const side = Math.floor(3 * next()) - 1;
    return {side, r: Math.floor(64 * (next() + (side === 0 ? 0.3 : 0))) / 64, right: next() < 0.7};
  });
}
