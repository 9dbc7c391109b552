"""Open-set tests of classifiers: does a model know when none of its query names is there?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._keywords import checked
from ._results import Interval, MeasuredValue, make_interval


@dataclass(frozen=True)
class OpenSetPair:
    """Two uncertainties, or two models, in one metric: ``difference`` is second - first."""

    name: str
    first: Optional[float]
    second: Optional[float]
    difference: Optional[float]
    interval: Optional[Interval]
    p_value: Optional[float]
    test: str
    why: str


def _metrics(raw: Dict[str, Any]) -> Dict[str, MeasuredValue]:
    def interval(fields: Optional[Dict[str, Any]]) -> Optional[Interval]:
        return None if fields is None else Interval(**fields)

    return {
        name: MeasuredValue(
            name,
            entry["value"],
            entry["why"] or "",
            interval(entry["interval"]),
            entry.get("no_interval", ""),
        )
        for name, entry in raw.items()
        if name != "closed_set"
    }


class OpenSet:
    """The result of an open-set test.

    ``tp``, ``ose`` and ``closed_set_errors`` are counts and ``accuracy`` is a fraction, with all
    queries on the list. ``measures["softmax"]["auroc"]`` and ``closed_set["softmax"]["auroc"]`` tell
    true positives from open-set and from closed-set errors; the metrics are ``auroc``, ``aupr``,
    ``p_at_95r`` and ``r_at_95p``.

    Image by image: ``right`` (a true positive), ``wrong`` (a closed-set error), ``error`` (an
    open-set error), ``closed_answer`` and ``open_answer`` (the column chosen, -1 for none), and
    ``closed_score[measure]`` and ``open_score[measure]``, which are 0 where nothing was answered.
    """

    def __init__(self, raw: Dict[str, Any]) -> None:
        self._json: str = raw["json"]
        fields = json.loads(self._json)
        self.images: int = fields["images"]
        self.classes: int = fields["classes"]
        self.tp: int = fields["tp"]
        self.ose: int = fields["ose"]
        self.closed_set_errors: int = fields["closed_set_errors"]
        self.accuracy: float = fields["accuracy"]
        self.accuracy_interval = Interval(**fields["accuracy_interval"])
        self.measures = {name: _metrics(entry) for name, entry in fields["measures"].items()}
        self.closed_set = {
            name: _metrics(entry["closed_set"]) for name, entry in fields["measures"].items()
        }
        self.right: npt.NDArray[np.bool_] = raw["right"]
        self.wrong: npt.NDArray[np.bool_] = raw["wrong"]
        self.error: npt.NDArray[np.bool_] = raw["error"]
        self.closed_answer: npt.NDArray[np.int32] = raw["closed_answer"]
        self.open_answer: npt.NDArray[np.int32] = raw["open_answer"]
        self.closed_score: Dict[str, npt.NDArray[np.float64]] = raw["closed_score"]
        self.open_score: Dict[str, npt.NDArray[np.float64]] = raw["open_score"]

    def to_json(self) -> str:
        """The result as ``openworld openset --json`` prints it, without its record of the run."""
        return self._json

    def to_dict(self) -> Dict[str, Any]:
        """The result JSON, parsed: also ``by_extra``, ``efficacy`` and ``growth``."""
        result: Dict[str, Any] = json.loads(self._json)
        return result

    def _arrays(self, measure: str) -> Tuple[Any, Any, Any, Any]:
        if measure not in self.closed_score:
            raise ValueError(f"[openset] no measure {measure!r}; there are {', '.join(self.measures)}")
        return self.right, self.closed_score[measure], self.error, self.open_score[measure]

    def compare(
        self,
        measure: str,
        other_measure: Optional[str] = None,
        *,
        other: Optional[OpenSet] = None,
        ci: Optional[str] = "auto",
        bootstrap: str = "bca",
        level: float = 0.95,
        resamples: int = 1000,
        seed: int = 0,
        threads: int = 0,
    ) -> Dict[str, OpenSetPair]:
        """Tests ``other_measure`` of ``other`` against ``measure`` of this result, paired by image.

        Without ``other`` both are of this model; without ``other_measure`` both are the same
        measure. ``other`` has to be of the same images in the same order.
        """
        second = (other or self)._arrays(other_measure or measure)
        rows = _core.compare_openset(
            *self._arrays(measure),
            *second,
            ci=ci,
            bootstrap=bootstrap,
            level=level,
            resamples=resamples,
            seed=seed,
            threads=threads,
        )
        pairs = {}
        for row in rows:
            row["interval"] = make_interval(row["interval"])
            pairs[row["name"]] = OpenSetPair(**row)
        return pairs

    def __repr__(self) -> str:
        lines = [
            f"OpenSet of {self.images} images, {self.classes} classes: {self.tp} TP, "
            f"{self.ose} OSE, accuracy {self.accuracy:.4f}"
        ]
        for name, metrics in self.measures.items():
            cells = [f"{k} {'-' if m.value is None else f'{m.value:.4f}'}" for k, m in metrics.items()]
            lines.append(f"  {name:<13} " + "  ".join(cells))
        return "\n".join(lines)


@checked
def openset(
    logits: Optional[npt.ArrayLike] = None,
    label: Optional[npt.ArrayLike] = None,
    *,
    images: Optional[npt.ArrayLike] = None,
    texts: Optional[npt.ArrayLike] = None,
    negatives: Union[int, npt.ArrayLike, None] = None,
    extra: Optional[npt.ArrayLike] = None,
    logit_scale: float = 100.0,
    logit_bias: float = 0.0,
    activation: str = "softmax",
    normalize: bool = True,
    measures: Union[str, Sequence[str]] = "all",
    mcm_temperature: float = 1.0,
    counts: Optional[Sequence[int]] = None,
    sizes: Union[str, Sequence[int], None] = None,
    seeds: int = 10,
    ci: Optional[str] = "auto",
    bootstrap: str = "bca",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    threads: int = 0,
) -> OpenSet:
    """Takes each image's true class off the list and sees what the model answers.

    Either ``logits`` [N, K + M], of which the last ``negatives`` (a number) columns are negative
    queries, or features: ``images`` [N, D], ``texts`` [K, D] and, at choice, ``negatives`` [M, D]
    or ``extra`` [M, D], further class names. ``label`` [N] has the index of each image's class.
    Features are scaled to length 1 unless ``normalize`` is False, and
    ``logit = logit_scale * cosine + logit_bias``.

    ``measures`` are uncertainties by name, "published" or "all". ``counts`` are numbers of negative
    or further queries to test besides none and all (None: those of the paper). ``sizes`` are sizes
    of random query sets, tested with ``seeds`` seeds each; "published" for those of the paper.
    ``ci`` is "auto" (closed forms where there are any, else a bootstrap over images), "bootstrap"
    or None.

    Miller et al., "Open-Set Recognition in the Age of Vision-Language Models", ECCV 2024.
    """
    if isinstance(sizes, str):
        if sizes != "published":
            raise ValueError(f"[openset] sizes is {sizes!r}; expected numbers or 'published'")
        sizes = []
    return OpenSet(
        _core.openset(
            logits=logits,
            label=label,
            negatives=negatives,
            images=images,
            texts=texts,
            extra=extra,
            logit_scale=logit_scale,
            logit_bias=logit_bias,
            activation=activation,
            normalize=normalize,
            mcm_temperature=mcm_temperature,
            measures=measures if isinstance(measures, str) else ",".join(measures),
            counts=None if counts is None else list(counts),
            sizes=None if sizes is None else list(sizes),
            seeds=list(range(seeds)),
            ci=ci,
            bootstrap=bootstrap,
            level=level,
            resamples=resamples,
            seed=seed,
            threads=threads,
        )
    )


def random_words(count: int) -> List[str]:
    """The first ``count`` random words of the published negative queries."""
    return _core.random_words(count)


@checked
def random_embeddings(
    texts: npt.ArrayLike, count: int, *, distribution: str = "gaussian", seed: int = 0
) -> npt.NDArray[np.float32]:
    """Random negative queries [count, D]: normal with mean and deviation of ``texts`` [K, D] in
    each dimension ("gaussian"), or any direction equally likely ("isotropic"). Of length 1.
    """
    return _core.random_embeddings(texts, count, distribution, seed)


@checked
def wordnet_siblings(names: Sequence[str], *, folder: str = "") -> Tuple[List[str], List[str]]:
    """Names to grow a query set by, and the ``names`` that WordNet does not have.

    The former are WordNet's leaf nouns that share a grandparent, but no parent, with one of
    ``names``. Needs Debian's wordnet-base, or its ``folder``.
    """
    siblings, unknown = _core.wordnet_siblings(list(names), folder)
    return siblings, unknown
