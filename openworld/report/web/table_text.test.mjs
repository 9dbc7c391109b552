import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, csv, latex, markdown, numberOf, orderOf } from "./table_text.mjs";

test("the number that a cell begins with", () => {
  for (const [text, number] of [["24.76 ±2.37", 24.76], ["<0.0001", 0.0001], ["+4.98▲", 4.98], ["−1.5", -1.5], ["-1.5", -1.5],
                                ["16,384", 16384], ["[1, 2]", NaN], ["zero-shot", NaN], ["", NaN], ["5 of 9", 5], ["1e-5", 1e-5]]) {
    assert.equal(numberOf(text), number, text);
  }
});

test("rows are ordered by numbers, then texts, empty cells last both ways", () => {
  const rows = [["b", "2 ±1"], ["a", "10"], ["c", "-"], ["d", "x"], ["e", "2"]];
  assert.deepEqual(orderOf(rows, 1, false).map(i => rows[i][1]), ["2", "2 ±1", "10", "x", "-"]);
  assert.deepEqual(orderOf(rows, 1, true).map(i => rows[i][1]), ["10", "2 ±1", "2", "x", "-"]);
  assert.deepEqual(orderOf(rows, 0, false).map(i => rows[i][0]), ["a", "b", "c", "d", "e"]);
  assert.ok(comparison("class 10", "class 9") > 0);
});

test("equal cells keep their order", () => {
  assert.deepEqual(orderOf([["a", "1"], ["b", "1"], ["c", "1"]], 1, true), [0, 1, 2]);
});

const table = {header: ["method", "AUROC, %"], rows: [["a|b_c", "1.00 ±0.50▲"], ["=cmd()", "-"], ['x "y", z', "−2"]]};

test("Markdown", () => {
  assert.equal(markdown(table), "| method | AUROC, % |\n| --- | ---: |\n| a\\|b_c | 1.00 ±0.50▲ |\n| =cmd() | - |\n" +
    '| x "y", z | −2 |\n');
});

test("LaTeX escapes what TeX would read", () => {
  const text = latex(table);
  assert.ok(text.includes("method & AUROC, \\% \\\\"));
  assert.ok(text.includes("a|b\\_c & 1.00 $\\pm$0.50$\\uparrow$ \\\\"));
  assert.ok(latex({header: ["a"], rows: [["\\input{x}"]]}).includes("\\textbackslash{}input\\{x\\}"));
  assert.ok(text.startsWith("\\begin{tabular}{lr}\n\\toprule"));
});

test("CSV quotes, and no cell is a formula", () => {
  assert.equal(csv(table), 'method,"AUROC, %"\r\na|b_c,1.00 ±0.50▲\r\n\'=cmd(),-\r\n"x ""y"", z",−2\r\n');
  assert.equal(csv({header: ["a"], rows: [["+4.98"], ["-1"], ["@x"]]}), "a\r\n+4.98\r\n-1\r\n'@x\r\n");
});
