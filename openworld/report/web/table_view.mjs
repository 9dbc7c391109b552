// Tables that sort by a click on a column and are copied as text.

import { element } from "./dom.mjs";
import { csv, latex, markdown, orderOf } from "./table_text.mjs";

const FORMATS = [["Markdown", markdown], ["LaTeX", latex], ["CSV", csv]];

// The text of a cell, without the button in it; arrows stay.
const textOf = cell => (cell.dataset.text ?? cell.textContent).replace(/\s+/g, " ").trim();

// What the reader sees: hidden rows and columns are left out.
export function tableTexts(table) {
  const shown = cell => !cell.classList.contains("off");
  const texts = row => [...row.cells].filter(shown).map(textOf);
  return {header: texts(table.tHead.rows[0]), rows: [...table.tBodies[0].rows].filter(shown).map(texts)};
}

export function sortTable(table, column, descending) {
  const body = table.tBodies[0], rows = [...body.rows];
  const order = orderOf(rows.map(row => [...row.cells].map(textOf)), column, descending);
  body.append(...order.map(i => rows[i]));
  [...table.tHead.rows[0].cells].forEach((cell, i) =>
    i === column ? cell.setAttribute("aria-sort", descending ? "descending" : "ascending") : cell.removeAttribute("aria-sort"));
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // not allowed, or no such thing
    const area = element("textarea", {"aria-hidden": "true", class: "unseen"});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButtons(table, page) {
  return element("div", {class: "copy"}, element("span", {}, "copy as"), FORMATS.map(([name, write]) =>
    element("button", {type: "button", onclick: async () => {
      await copyText(write(tableTexts(table)));
      page.say(`copied as ${name}`);
    }}, name)));
}

// Adds the buttons to the tables of `place` that have none yet.
export function enhance(place, page) {
  for (const table of place.querySelectorAll("table.sortable:not([data-ready])")) {
    table.dataset.ready = "";
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      cell.dataset.text = textOf(cell);
      const button = element("button", {type: "button", class: "sort"}, ...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        // Numbers are looked through from the largest, names from A.
        const now = cell.getAttribute("aria-sort");
        const descending = now ? now === "ascending" : column > 0;
        sortTable(table, column, descending);
        page.sorted(table, column, descending);
      });
    });
    table.closest(".wide").after(copyButtons(table, page));
  }
}
