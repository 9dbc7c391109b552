// The scores of one run as the page stores them (ranked_codes.h): samples in order of falling r, two or four bits each, and
// r at some of the ranks.

export const BASE_RIGHT = 0, BASE_WRONG = 1, NEW_RIGHT = 2, NEW_WRONG = 3, UNKNOWN = 4;
const SYMBOL = 7, TIED = 8;

export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Little-endian float32, on any machine.
export function floatsOf(base64) {
  const bytes = bytesOf(base64);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({length: bytes.length / 4}, (_, i) => view.getFloat32(4 * i, true));
}

// {n, symbols[n], boundaries, r(rank)}. A boundary k is a number of samples with r > t that some threshold t gives:
// 0, n, and every rank whose r is below that before it.
export function decodeRun({n, bits, codes, values}) {
  const packed = bytesOf(codes), known = floatsOf(values);
  const symbols = new Uint8Array(n);
  const boundaries = [];
  for (let i = 0; i < n; ++i) {
    const at = bits * i;
    const code = (packed[at >> 3] >> (at & 7)) & ((1 << bits) - 1);
    symbols[i] = code & SYMBOL;
    if (!(code & TIED)) boundaries.push(i);
  }
  boundaries.push(n);
  return {n, symbols, boundaries: Int32Array.from(boundaries), exact: known.length >= n,
          r: rank => valueAt(known, n, rank)};
}

// r at a rank: stored, or between the two nearest that are.
function valueAt(known, n, rank) {
  if (known.length >= n || known.length < 2) return known[Math.min(rank, known.length - 1)];
  const at = rank * (known.length - 1) / (n - 1);
  const low = Math.min(Math.floor(at), known.length - 2);
  return known[low] + (known[low + 1] - known[low]) * (at - low);
}
