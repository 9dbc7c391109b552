"""An environment whose locale writes 1.5 as 1,5."""

import os
import subprocess
from pathlib import Path

LOCALE = "de_DE.UTF-8"
SHIM = Path(os.environ.get("OPENWORLD_SHIMS", "")) / "locale_shim.so"


def make_locale(folder):
    """Compiles the locale into a folder; the variables by which a process finds it. Needs Debian's package locales."""
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / LOCALE], check=True)
    return {"LOCPATH": str(folder), "LC_ALL": LOCALE, "LC_MESSAGES": "C"}
