import sys
from pathlib import Path

# Runs to report on, and the command.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
