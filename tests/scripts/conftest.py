import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "scripts"), str(Path(__file__).resolve().parent)]


@pytest.fixture(scope="session")
def wordnet(tmp_path_factory):
    from icons.wordnet import WordNet
    from tiny_wordnet import write_wordnet
    return WordNet(write_wordnet(tmp_path_factory.mktemp("wordnet")))
