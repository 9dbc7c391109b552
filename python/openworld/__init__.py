"""Evaluate vision-language models, or any classifier, where not every class is known in advance.

    import openworld
    openworld.evaluate(side, score, correct)

Scores are larger for samples that look more like the base classes, everywhere. Values are fractions
in [0, 1]. Undefined metrics give the reason; invalid input raises ValueError.
"""

from . import metrics
from ._analyses import (
    ClassAccuracy,
    Curve,
    Diagnosis,
    Sensitivity,
    SensitivityRow,
    Share,
    Threshold,
    curve,
    diagnose,
    per_class,
    sensitivity,
    threshold,
)
from ._compare import ComparedMetric, Comparison, compare
from ._core import Predictions, __version__
from ._detect import (
    CategoryDetection,
    Detection,
    DetectionDifference,
    DetectionMetric,
    OpenSetDetection,
    compare_detections,
    detect,
    detect_openset,
)
from ._evaluate import Accumulator, evaluate, evaluate_file, load, save, set_memory_limit
from ._openset import (
    OpenSet,
    OpenSetMetric,
    OpenSetPair,
    openset,
    random_embeddings,
    random_words,
    wordnet_siblings,
)
from ._results import Evaluation, Interval, Metric
from ._series import Drc, Friedman, SeedSummary, aggregate_seeds, drc, friedman

__all__ = [
    "Accumulator",
    "CategoryDetection",
    "ClassAccuracy",
    "ComparedMetric",
    "Comparison",
    "Curve",
    "Detection",
    "DetectionDifference",
    "DetectionMetric",
    "Diagnosis",
    "Drc",
    "Evaluation",
    "Friedman",
    "Interval",
    "Metric",
    "OpenSet",
    "OpenSetDetection",
    "OpenSetMetric",
    "OpenSetPair",
    "Predictions",
    "SeedSummary",
    "Sensitivity",
    "SensitivityRow",
    "Share",
    "Threshold",
    "__version__",
    "aggregate_seeds",
    "compare",
    "compare_detections",
    "curve",
    "detect",
    "detect_openset",
    "diagnose",
    "drc",
    "evaluate",
    "evaluate_file",
    "friedman",
    "load",
    "metrics",
    "openset",
    "per_class",
    "random_embeddings",
    "random_words",
    "save",
    "sensitivity",
    "set_memory_limit",
    "threshold",
    "wordnet_siblings",
]
