// Tables as text to paste, and the order of their rows. A table is {header: [text], rows: [[text]]}.

// The number a cell begins with: 24.76 of "24.76 ±2.37", 0.0001 of "<0.0001"; NaN if it begins with none.
export function numberOf(text) {
  const found = /^\s*[<>≈]?\s*([+\-−]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)/iu.exec(text);
  return found ? Number(found[1].replace("−", "-").replace(/,/g, "")) : NaN;
}

// Numbers before texts, by size; texts by their letters; empty cells last in both directions.
export function comparison(a, b, descending = false) {
  const sign = descending ? -1 : 1;
  const blank = text => /^[\s\-–]*$/u.test(text);
  if (blank(a) || blank(b)) return blank(a) - blank(b);
  const x = numberOf(a), y = numberOf(b);
  if (!Number.isNaN(x) && !Number.isNaN(y) && x !== y) return sign * (x - y);
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return sign * a.localeCompare(b, "en", {numeric: true});
}

// The order of rows by a column, stable.
export function orderOf(rows, column, descending) {
  return rows.map((_, i) => i).sort((i, j) =>
    comparison(rows[i][column], rows[j][column], descending) || i - j);
}

export function markdown({header, rows}) {
  const line = cells => `| ${cells.map(cell => cell.replace(/([\\|])/g, "\\$1").replace(/\s+/g, " ")).join(" | ")} |`;
  const rule = `|${header.map((_, i) => i === 0 ? " --- |" : " ---: |").join("")}`;
  return [line(header), rule, ...rows.map(line)].join("\n") + "\n";
}

const LATEX = {"\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "_": "\\_", "%": "\\%",
               "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "±": "$\\pm$", "−": "$-$", "▲": "$\\uparrow$",
               "▼": "$\\downarrow$", "<": "$<$", ">": "$>$", "→": "$\\to$"};

// A booktabs tabular.
export function latex({header, rows}) {
  const cell = text => text.replace(/\s+/g, " ").replace(/[\\{}$&#_%^~±−▲▼<>→]/gu, letter => LATEX[letter]);
  const line = cells => `${cells.map(cell).join(" & ")} \\\\`;
  return [`\\begin{tabular}{l${"r".repeat(header.length - 1)}}`, "\\toprule", line(header), "\\midrule",
          ...rows.map(line), "\\bottomrule", "\\end{tabular}"].join("\n") + "\n";
}

// RFC 4180. A text that a spreadsheet would take for a formula is quoted with an apostrophe; numbers are not.
export function csv({header, rows}) {
  const cell = text => {
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(numberOf(text)) && text !== "-" ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return [header, ...rows].map(cells => cells.map(cell).join(",")).join("\r\n") + "\r\n";
}
