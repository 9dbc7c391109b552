"""Losses of open-set training, each by itself, so that anyone can check one.

    from openworld import osr
    arpl = osr.loss("arpl", features, labels, centers=centers, radius=[0.0])
    arpl.value, arpl.gradients["centers"], arpl.scores

Training itself is a command: ``openworld osr train``. Everything here is computed in double precision.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence

import numpy as np
import numpy.typing as npt

from ._keywords import Option, OptionValue, list_options, make_options
from ._library import models

__all__ = ["Loss", "Method", "loss", "methods"]

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """A method of open-set training: a row of the table of methods, with its options by name."""

    name: str
    title: str
    description: str
    citation: str
    options: Dict[str, Option]

    def __str__(self) -> str:
        head = f"{self.title} ({self.name}): {self.description}\n{self.citation}\n\n"
        return head + list_options(self.options.values())


def methods() -> Dict[str, Method]:
    """The methods by name; ``print(methods()["openauc"])`` shows one with its options."""
    rows = json.loads(models().osr_methods())
    for row in rows:
        row["options"] = make_options(row["options"])
    return {row["name"]: Method(**row) for row in rows}


@dataclass(frozen=True)
class Loss:
    """A loss with what follows from it.

    ``gradients`` are by the names of the arguments: ``features``, and every learned array that was given.
    ``logits`` are those of the known classes, ``scores`` what open-set scores are the largest of.
    """

    value: float
    gradients: Dict[str, Doubles]
    logits: Doubles
    scores: Doubles


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def loss(
    method: str,
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    weight: Optional[npt.ArrayLike] = None,
    centers: Optional[npt.ArrayLike] = None,
    radius: Optional[npt.ArrayLike] = None,
    generated: Optional[npt.ArrayLike] = None,
    order: Sequence[int] = (),
    share: float = 1.0,
    **options: OptionValue,
) -> Loss:
    """The loss of ``method`` on features [n, width] with labels [n], and its gradients.

    ``weight`` [classes, width] is the last layer of softmax, ce-plus and openauc; ``centers`` [classes, width]
    are the points of gcpl, rpl, arpl, arpl-plus and arpl-cs, and ``radius`` [1] is that of all of these but gcpl.
    ``generated`` [m, width] are features of generated samples, for arpl-cs. For openauc, ``order`` is the
    permutation by which the second half of the batch is mixed with itself, and ``share`` the share of the sample
    itself. Options are those of the method, such as ``temperature=2``; see ``methods()``.
    """
    given: Dict[str, Any] = {"weight": weight, "centers": centers, "radius": radius}
    parameters = {name: np.atleast_1d(value) for name, value in given.items() if value is not None}
    value, gradients, logits, scores = models().osr_loss(
        method,
        [f"{name}={_text(value)}" for name, value in options.items()],
        features,
        labels,
        parameters,
        generated,
        [int(i) for i in order],
        float(share),
    )
    return Loss(value, gradients, logits, scores)
