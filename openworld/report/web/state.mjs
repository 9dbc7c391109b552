// What the reader chose, in the fragment of the address: "#d=1&m=2&k=340&off=0,3". Links to sections keep it.

const NUMBERS = ["d", "m", "s", "k", "page", "classes", "loss"];
const TEXTS = ["kind", "side", "class", "of", "among", "shade", "at"];

// {d: dataset, m: method, s: seed, k: samples called base, off: methods that are hidden, kind, side, class: filters of
// samples, of: dataset of samples, page, classes: dataset of the classes, among: the names they are classified among, loss:
// dataset of the losses, sort: [table, column, descending], shade: light or dark, at: section}. What makes no
// sense is left out.
export function parseState(fragment) {
  const state = {off: new Set()};
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  for (const name of NUMBERS) {
    const text = given.get(name);
    if (text !== null && /^\d{1,15}$/.test(text)) state[name] = Number(text);
  }
  for (const name of TEXTS) {
    const text = given.get(name);
    if (text !== null && /^[\w-]{1,40}$/.test(text)) state[name] = text;
  }
  for (const text of (given.get("off") || "").split(",")) {
    if (/^\d{1,6}$/.test(text)) state.off.add(Number(text));
  }
  const sort = /^(\d{1,6})\.(\d{1,6})\.([01])$/.exec(given.get("sort") || "");
  if (sort) state.sort = [Number(sort[1]), Number(sort[2]), sort[3] === "1"];
  return state;
}

export function stateText(state) {
  const parts = [];
  for (const name of [...NUMBERS, ...TEXTS]) {
    if (state[name] !== undefined && state[name] !== "") parts.push(`${name}=${state[name]}`);
  }
  if (state.off.size > 0) parts.push(`off=${[...state.off].sort((a, b) => a - b).join(",")}`);
  if (state.sort) parts.push(`sort=${state.sort[0]}.${state.sort[1]}.${state.sort[2] ? 1 : 0}`);
  return parts.length > 0 ? `#${parts.join("&")}` : "";
}
