// How a sample ends at a threshold. It is called base where r > t, and then has g's answer, else h's: the model is not told
// the side.

export const KINDS = [
  {name: "right", title: "right", mark: "✓", brief: "right side and right class"},
  {name: "wrong-class", title: "wrong class", mark: "✗", brief: "right side, wrong class"},
  {name: "wrong-side", title: "wrong side", mark: "⇄", brief: "base taken for new, or new for base"},
  {name: "unknown-known", title: "unknown taken for known", mark: "!", brief: "on no list, but called base"},
  {name: "kept-out", title: "unknown kept out", mark: "○", brief: "on no list, and not called base"},
];

export const SIDES = {"-1": "unknown", "0": "base", "1": "new"};

export function kindOf(side, correct, calledBase) {
  if (side < 0) return calledBase ? "unknown-known" : "kept-out";
  if (calledBase !== (side === 0)) return "wrong-side";
  return correct ? "right" : "wrong-class";
}
