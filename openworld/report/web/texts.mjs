// Numbers as people read them.

export const percent = value => Number.isFinite(value) ? (100 * value).toFixed(2) : "-";

export function score(value, digits = 4) {
  if (value === -Infinity) return "−∞";
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "-";
}

export const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// A name that fits; the whole is in the hint.
export function shortened(text, most = 28) {
  const letters = [...text];
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}
