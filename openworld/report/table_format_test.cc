#include "openworld/report/table_format.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"
#include "openworld/report/text_document.h"

namespace openworld {
namespace {

// Two methods with marks of every kind.
TextTable sample() {
  TextTable table({"a_b", "AUROC", "note"});
  TextCell best = value_cell("62.13", " ±1.10", true);
  best.mark = 1;
  TextCell other = value_cell("+5.00", "", false);
  other.mark = -1;
  other.count = "(2/3)";
  table.add({"x|y", best, "50 % & more"});
  table.add({"z", other, "-0.5"});
  return table;
}

std::string written(const char* format) {
  return find_table_format(format, "test").table(sample());
}

TEST(TableFormat, Text) {
  EXPECT_EQ(written("text"),
            "a_b          AUROC         note\n"
            "x|y  62.13 ±1.10*+  50 % & more\n"
            "z    +5.00 (2/3) -         -0.5\n");
}

TEST(TableFormat, TextKeepsNamesInTheirRow) {
  TextTable table({"file", "side"});
  table.add({"new\nline.png", "base"});
  table.add({"\x1b[31m.png", "new"});
  EXPECT_EQ(table.text(),
            "file          side\n"
            "new line.png  base\n"
            "\\x1b[31m.png   new\n");
}

TEST(TableFormat, Markdown) {
  EXPECT_EQ(written("md"),
            "| a\\_b | AUROC | note |\n"
            "|---|---:|---:|\n"
            "| x\\|y | **62.13 ±1.10** ▲ | 50 % & more |\n"
            "| z | +5.00 ▼ (2/3) | -0.5 |\n");
}

TEST(TableFormat, Latex) {
  EXPECT_EQ(written("latex"),
            "\\begin{tabular}{lrr}\n\\toprule\na\\_b & AUROC & note \\\\\n\\midrule\n"
            "x\\textbar{}y & \\textbf{62.13} {\\scriptsize$\\pm$1.10}$^{\\uparrow}$ & "
            "50 \\% \\& more \\\\\n"
            "z & $+$5.00$^{\\downarrow}$ (2/3) & $-$0.5 \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(TableFormat, Csv) {
  EXPECT_EQ(written("csv"),
            "a_b,AUROC,AUROC ±,note\r\n"
            "x|y,62.13,1.10,50 % & more\r\n"
            "z,+5.00,,-0.5\r\n");
  TextTable quoted({"a,b", "c"});
  quoted.add({"say \"x\"", "1\n2"});
  EXPECT_EQ(find_table_format("csv", "test").table(quoted),
            "\"a,b\",c\r\n\"say \"\"x\"\"\",1 2\r\n");
}

TEST(TableFormat, LinesBesideTables) {
  const auto line = [](const char* format, const char* words) {
    return find_table_format(format, "test").line(words);
  };
  EXPECT_EQ(line("text", "* best"), "* best\n");
  EXPECT_EQ(line("md", "* best"), "\\* best\n\n");
  EXPECT_EQ(line("latex", "* 5 %\n"), "% * 5 % \n");
  EXPECT_EQ(line("csv", "* best"), "");
}

TEST(TableFormat, UnknownOnesAreRefused) {
  try {
    find_table_format("latx", "test");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "[test] no table format \"latx\"; did you mean latex? There are text, md, latex, "
                 "csv");
  }
}

TEST(TextTable, ColumnsOfWordsStandLeft) {
  TextTable table({"a", "b", "c"});
  table.align_left(1);
  table.add({"1", "two words", "3"});
  table.add({"1", "x", "300"});
  EXPECT_EQ(table.text(), "a  b            c\n1  two words    3\n1  x          300\n");
  EXPECT_EQ(find_table_format("latex", "test").table(table).substr(0, 20), "\\begin{tabular}{llr}");
}

TEST(TextDocument, IsItsBlocks) {
  TextDocument document, end;
  document.say("words\n\n");
  document.add(TextTable({"a"}));
  end.say("end\n");
  document.append(end);
  EXPECT_EQ(document.text(), "words\n\na\nend\n");
  EXPECT_EQ(document.blocks().size(), 3u);
}

}  // namespace
}  // namespace openworld
