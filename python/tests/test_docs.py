"""The examples in docs/python.md print what it says."""

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_tour(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"^```.*$", "", DOCS.read_text(), flags=re.M)  # a fence is not output
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(DOCS), 0)
    assert len(test.examples) > 30
    report = []
    failed = doctest.DocTestRunner().run(test, out=report.append).failed
    assert failed == 0, "".join(report)
