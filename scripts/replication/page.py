"""What pages are made of: tables in Markdown, and templates with {{parts}}."""

import pathlib


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def fill(template, parts):
    """The text of a template beside this file with every {{part}} replaced; a part that it lacks is a mistake."""
    text = (pathlib.Path(__file__).parent / template).read_text()
    for name, part in parts.items():
        assert f"{{{{{name}}}}}" in text, name
        text = text.replace(f"{{{{{name}}}}}", str(part).rstrip("\n"))
    assert "{{" not in text, text[text.index("{{"):][:40]
    return text
