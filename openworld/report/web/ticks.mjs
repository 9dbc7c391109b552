// Axes: round ticks, and where numbers are on the drawing.

// At most `most` steps of 1, 2 or 5 times a power of ten that cover low to high.
export function ticksOf(low, high, most = 6) {
  const leastWidth = 1e-9 * Math.max(Math.abs(low), Math.abs(high));  // or numbers would not tell the ticks apart
  if (!(high - low > leastWidth)) {
    const half = Math.max(0.5, 1e3 * leastWidth);
    [low, high] = [low - half, high + half];
  }
  const least = (high - low) / most, power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= least * (1 - 1e-9));
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const ticks = [];
  for (let i = 0; i <= last - first; ++i) {
    ticks.push({value: (first + i) * step, text: tickText((first + i) * step, decimals)});
  }
  return {low: first * step, high: last * step, ticks};
}

function tickText(value, decimals) {
  return Math.abs(value) < 1e6 ? value.toFixed(decimals).replace(/^-/, "−") : value.toPrecision(3);
}

// From numbers to pixels.
export function scale(low, high, from, to) {
  return value => from + (value - low) / (high - low) * (to - from);
}
