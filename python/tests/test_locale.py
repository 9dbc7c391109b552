"""The module in a process whose locale writes 1.5 as 1,5: a script may call locale.setlocale."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import locale, sys
import numpy as np
import openworld
from util import outcomes

side, score, correct = outcomes(500, 2, 60)
np.savetxt("table.csv", np.c_[side, score, correct], fmt=["%d", "%.9g", "%d"], delimiter=",",
           header="side,score,correct", comments="")
if sys.argv[1] != "C":
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.format_string("%.1f", 1.5) == "1,5"
table = openworld.load("table.csv")
evaluation = openworld.evaluate(side, score, correct, ci="bootstrap", resamples=20)
curve = openworld.curve(side, score, correct)
print(evaluation, repr(evaluation), curve, table, [float(x) for x in table.score[:20]])
print(evaluation["openworld_auc"].value, evaluation["openworld_auc"].interval)
"""


def test_locale(tmp_path):
    locales = tmp_path / "locales"
    locales.mkdir()
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", locales / "de_DE.UTF-8"], check=True)
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    variables = {**os.environ, "LOCPATH": str(locales), "PYTHONPATH": os.pathsep.join(paths)}

    def printed(name):
        done = subprocess.run([sys.executable, "-c", SCRIPT, name], cwd=tmp_path, env=variables,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert printed("de_DE.UTF-8") == printed("C")
