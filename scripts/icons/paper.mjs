// Pixels: strokes of a pen on white paper, and pictures cropped and scaled to it.

// Grey pixels of strokes: 255 is paper, `ink` a pixel that a stroke covers. A pixel's share is how far the
// edge of the nearest stroke is from its centre.
export function inkOf(strokes, side, ink) {
  const share = new Float64Array(side * side);
  for (const {points, widths} of strokes) {
    const n = points.length / 2;
    for (let i = 0; i < n; ++i) {
      const j = Math.min(i + 1, n - 1);
      const [ax, ay] = [points[2 * i], points[2 * i + 1]];
      const [ux, uy] = [points[2 * j] - ax, points[2 * j + 1] - ay];
      const square = ux * ux + uy * uy;
      const radius = (widths[i] + widths[j]) / 4;
      const reach = radius + 0.5;
      const left = Math.max(0, Math.floor(Math.min(ax, ax + ux) - reach));
      const right = Math.min(side - 1, Math.floor(Math.max(ax, ax + ux) + reach));
      const top = Math.max(0, Math.floor(Math.min(ay, ay + uy) - reach));
      const bottom = Math.min(side - 1, Math.floor(Math.max(ay, ay + uy) + reach));
      for (let row = top; row <= bottom; ++row) {
        for (let column = left; column <= right; ++column) {
          const [px, py] = [column + 0.5 - ax, row + 0.5 - ay];
          const t = square > 0 ? Math.min(1, Math.max(0, (px * ux + py * uy) / square)) : 0;
          const [dx, dy] = [px - t * ux, py - t * uy];
          const covered = Math.min(1, Math.max(0, reach - Math.sqrt(dx * dx + dy * dy)));
          if (covered > share[row * side + column]) share[row * side + column] = covered;
        }
      }
    }
  }
  return Uint8Array.from(share, (s) => Math.floor(255 - s * (255 - ink) + 0.5));
}

const PAPER_LEVEL = 12;  // a channel that differs less from white is paper

// The smallest box [left, top, right, bottom) of pixels that are not paper, or null. RGBA, opaque.
export function boxOf(pixels, width, height) {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let row = 0, at = 0; row < height; ++row) {
    for (let column = 0; column < width; ++column, at += 4) {
      if (255 - Math.min(pixels[at], pixels[at + 1], pixels[at + 2]) < PAPER_LEVEL) continue;
      left = Math.min(left, column);
      right = Math.max(right, column + 1);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row + 1);
    }
  }
  return right > left ? [left, top, right, bottom] : null;
}

// For each pixel of `side`: the source pixels that it covers and how much of each, [[index, share], ...].
function sharesOf(from, to, side, scale) {
  const middle = (from + to) / 2;
  return Array.from({length: side}, (_, i) => {
    const low = Math.max(from, middle + (i - side / 2) / scale);
    const high = Math.min(to, middle + (i + 1 - side / 2) / scale);
    const shares = [];
    for (let k = Math.floor(low); k < high; ++k) {
      const share = (Math.min(high, k + 1) - Math.max(low, k)) * scale;
      if (share > 0) shares.push([k, share]);
    }
    return shares;
  });
}

// The box of a picture on white paper of `side`, centred, its longer side `side - 2 margin`: each pixel is the
// mean of what it covers. RGB.
export function cropTo(pixels, width, box, side, margin) {
  const [left, top, right, bottom] = box;
  const scale = (side - 2 * margin) / Math.max(right - left, bottom - top);
  const columns = sharesOf(left, right, side, scale), rows = sharesOf(top, bottom, side, scale);
  const out = new Uint8Array(side * side * 3);
  for (let y = 0, to = 0; y < side; ++y) {
    for (let x = 0; x < side; ++x) {
      let [red, green, blue] = [0, 0, 0];
      for (const [row, tall] of rows[y]) {
        for (const [column, wide] of columns[x]) {
          const at = (row * width + column) * 4, share = tall * wide;
          red += (255 - pixels[at]) * share;
          green += (255 - pixels[at + 1]) * share;
          blue += (255 - pixels[at + 2]) * share;
        }
      }
      out[to++] = 255 - Math.floor(Math.min(255, red) + 0.5);
      out[to++] = 255 - Math.floor(Math.min(255, green) + 0.5);
      out[to++] = 255 - Math.floor(Math.min(255, blue) + 0.5);
    }
  }
  return out;
}
