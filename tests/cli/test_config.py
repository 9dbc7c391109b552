"""Flags from files: openworld.toml, --config-file, and the user's own."""

import os
import subprocess

import pytest
from command import BIN, json_of, refused, succeed


@pytest.fixture
def place(examples, folder):
    (folder / "gmop.npz").write_bytes((examples / "gmop.npz").read_bytes())
    return folder


def names(place, *flags):
    return list(json_of("eval", "gmop.npz", *flags, cwd=place)["metrics"])


def test_the_file_of_the_folder(place):
    (place / "openworld.toml").write_text('[eval]\nmetrics = ["auroc", "hm"]\nlevel = 0.9\n')
    result = json_of("eval", "gmop.npz", cwd=place)
    assert list(result["metrics"]) == ["auroc", "hm"]
    assert result["metrics"]["auroc"]["interval"]["level"] == 0.9
    assert names(place, "--metrics", "base_acc") == ["base_acc"]
    assert len(names(place, "--no-config")) > 2
    # Other commands have sections of their own.
    assert "AUROC" not in succeed("threshold", "gmop.npz", "--max-miss", 0.4, cwd=place)


def test_files_by_precedence(place, folder, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "openworld").mkdir()
    (home / "openworld" / "openworld.toml").write_text('format = "json"\n[eval]\nmetrics = "hm"\nlevel = 0.8\n')

    def result(*flags):
        import json

        environment = {**os.environ, "XDG_CONFIG_HOME": str(home)}
        done = subprocess.run([BIN, "eval", "gmop.npz", *flags], capture_output=True, cwd=place, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["metrics"]

    assert list(result()) == ["hm"]
    (place / "openworld.toml").write_text('[eval]\nmetrics = "auroc"\n')
    assert list(result()) == ["auroc"]
    assert result()["auroc"]["interval"]["level"] == 0.8
    (place / "other.toml").write_text('eval.metrics = "new_acc"\n')
    assert list(result("--config-file", "other.toml")) == ["new_acc"]
    # --json is given, so that a format of the file, which excludes it, is not.
    assert list(result("--json", "--metrics", "hm")) == ["hm"]


def test_keys_above_all_sections(place):
    (place / "openworld.toml").write_text('format = "md"\nthreads = 1\nmax-miss = 0.4\n')
    assert "| --- |" in succeed("eval", "gmop.npz", cwd=place).replace("|---|", "| --- |")
    assert "|---:|" in succeed("threshold", "gmop.npz", cwd=place), "a required flag may come from a file"
    assert succeed("ls", "metrics", cwd=place)


@pytest.mark.parametrize("text, says", [
    ('[eval]\nmetrik = "hm"\n', ['openworld.toml: line 2: unknown key "metrik" in [eval]; did you mean metric']),
    ('\nthreds = 1\n', ['openworld.toml: line 2: unknown key "threds"; did you mean threads?']),
    ("[evil]\n", ["openworld.toml: line 1: unknown section [evil]; did you mean eval?"]),
    ("[eval.all]\n", ["line 1: unknown section [eval.all]; eval has no commands"]),
    ("[study.rum]\n", ["line 1: unknown section [study.rum]; did you mean run?"]),
    ("[threshold]\nmax_mist = 1\n", ['line 2: unknown key "max_mist" in [threshold]; did you mean max-miss?']),
    ("[eval]\nlevel = 2\n", ["got '2'; expected a number between 0 and 1", "openworld.toml: line 2 sets --level"]),
    ('[eval]\n\nmetrics = "auroc,nope"\n', ["unknown metric 'nope'", "openworld.toml: line 3 sets --metrics"]),
    ("[eval]\ndiagnose = 1\n", ['line 2: "diagnose" is 1; expected true or false']),
    ("[eval]\nlevel = 1979-05-27\n", ['line 2: "level" is a date or a time']),
    ("[eval\n", ["openworld.toml: line 1: not valid TOML"]),
    ("[eval]\nconfig-file = 'x'\n", ['unknown key "config-file"']),
])
def test_refused(place, text, says):
    (place / "openworld.toml").write_text(text)
    refused("eval", "gmop.npz", cwd=place, says=says)


def test_a_missing_file_is_refused(place):
    refused("eval", "gmop.npz", "--config-file", "none.toml", cwd=place, says=["none.toml"])


def test_help_says_where_values_come_from():
    text = " ".join(succeed("eval", "--help").split())
    assert "from [eval] in openworld.toml of the working folder" in text
    assert "$XDG_CONFIG_HOME" in text and "--config-file" in text


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_does_without_a_file_that_is_wrong(place, flag):
    (place / "openworld.toml").write_text("[eval]\nmetrik = 1\n")
    assert succeed("eval", flag, cwd=place) == succeed("eval", "--help")


def test_commands_of_commands(place):
    (place / "plan.toml").write_text('models = ["pocket"]\ndata = ["doodles:animals"]\nlearners = ["coop"]\n')
    (place / "openworld.toml").write_text('[study]\njson = true\n[study.plan]\ndata = ["doodles:body", "doodles:food"]\n')
    import json

    cells = json.loads(succeed("study", "plan", "plan.toml", cwd=place))["list"]
    assert len(cells) == 2
