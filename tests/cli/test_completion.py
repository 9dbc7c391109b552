"""Scripts of shells, run by the shells that are there."""

import shutil
import subprocess

import pytest
from command import COMMANDS, refused, succeed

ASK = """
source /dev/stdin <<'SCRIPT'
{script}
SCRIPT
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_openworld
printf '%s\\n' "${{COMPREPLY[@]}}"
complete -p openworld >&2
"""


@pytest.fixture(scope="module")
def script():
    return succeed("completion", "bash")


@pytest.fixture
def complete(script, folder):
    def ask(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "--norc"], input=ASK.format(script=script, words=quoted), text=True,
                              capture_output=True, cwd=folder)
        assert done.stderr == "complete -F _openworld openworld\n"
        return done.stdout.split()

    return ask


def test_commands(complete):
    assert set(complete("openworld", "")) == {*COMMANDS, "help", "--help", "--version"}
    assert complete("openworld", "thr") == ["threshold"]


def test_flags_are_those_of_the_command(complete):
    assert complete("openworld", "threshold", "--max-mi") == ["--max-miss"]
    assert complete("openworld", "eval", "--max-mi") == []
    flags = complete("openworld", "eval", "--")
    assert {"--metrics", "--json", "--format", "--quiet", "--config-file"} <= set(flags)
    for flag in flags:
        assert f"{flag}" in succeed("eval", "--help")


def test_values(complete):
    assert complete("openworld", "eval", "x.npz", "--format", "") == ["text", "md", "latex", "csv", "json"]
    assert complete("openworld", "eval", "--ci", "b") == ["bootstrap"]
    # As bash splits --ci=b.
    assert complete("openworld", "eval", "--ci", "=", "b") == ["bootstrap"]
    assert complete("openworld", "ls", "met") == ["metrics"]
    assert complete("openworld", "completion", "") == ["bash", "zsh", "fish"]


def test_commands_of_commands(complete):
    assert "run" in complete("openworld", "study", "")
    assert complete("openworld", "study", "run", "--job") == ["--jobs"]
    assert complete("openworld", "study", "run", "plan.toml", "--format", "l") == ["latex"]


def test_files(complete, folder):
    (folder / "some predictions.npz").touch()
    assert complete("openworld", "eval", "some") == ["some", "predictions.npz"], "one word with a space"
    assert complete("openworld", "zeroshot", "--model", "some") == ["some", "predictions.npz"]


@pytest.mark.parametrize("shell, check", [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_syntax(folder, shell, check):
    assert shutil.which(shell), "scripts/bootstrap installs it"
    (folder / "script").write_text(succeed("completion", shell))
    subprocess.run([shell, *check, folder / "script"], check=True)


@pytest.mark.parametrize("typed, offered", [
    ("openworld thr", ["threshold"]),
    ("openworld threshold --max-mi", ["--max-miss"]),
    ("openworld eval --max-mi", []),
    ("openworld eval x.npz --format ", ["csv", "json", "latex", "md", "text"]),
    ("openworld study run --job", ["--jobs"]),
    ("openworld ls met", ["metrics"]),
    ("openworld eval some", ["some.npz"]),
])  # fmt: skip
def test_fish(folder, typed, offered):
    (folder / "some.npz").touch()
    (folder / "script.fish").write_text(succeed("completion", "fish"))
    done = subprocess.run(["fish", "--no-config", "-c", f"source script.fish; complete -C '{typed}'"], text=True,
                          capture_output=True, cwd=folder, check=True)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command_and_flag(shell):
    text = succeed("completion", shell)
    for command in COMMANDS:
        assert f"{command}" in text
    for words in {"zsh": ["'--max-miss=[", ":value:(text md latex csv json)", "'--json["],
                  "fish": ["-l max-miss -r", "-x -a 'text md latex csv json'", "-s q"]}[shell]:  # fmt: skip
        assert words in text
    # Quotes are paired on every line.
    assert all(line.count("'") % 2 == 0 for line in text.splitlines())


@pytest.mark.parametrize("flags", ['format = "json"\n', "[eval]\nmetrik = 1\n", "[eval\n"])
def test_files_of_flags_change_nothing(script, folder, flags):
    """Shells ask for the script where they start, whatever openworld.toml is there."""
    (folder / "openworld.toml").write_text(flags)
    assert succeed("completion", "bash", cwd=folder) == script


def test_refused():
    refused("completion", "tcsh", says=["bash,zsh,fish"])
