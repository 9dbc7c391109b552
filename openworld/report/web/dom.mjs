// Elements. Texts become text nodes and attributes are set by name, so nothing from data is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

export const element = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const drawn = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A choice of one. Options are [value, text].
export function chooser(label, options, value, chosen) {
  const select = element("select", {onchange: () => chosen(select.value)},
    options.map(([key, text]) => element("option", {value: key, selected: String(key) === String(value)}, text)));
  return element("label", {class: "choice"}, element("span", {}, label), select);
}

export const colourOf = method => `var(--k${method % 7})`;

// Lines of the eighth method on differ by their dashes, as series_dashes() of svg_axes.cc.
export const dashesOf = method => ["", "7 3", "2 3", "9 3 2 3"][Math.floor(method / 7) % 4];

// The mark of a method in lists.
export const swatch = method =>
  drawn("svg", {class: "dot", viewBox: "0 0 18 10", "aria-hidden": "true"},
    drawn("path", {d: "M0 5H18", stroke: colourOf(method), "stroke-width": 5, "stroke-dasharray": dashesOf(method)}));
