"""Measure, tune and ship vision-language models where not every class is known in advance.

    import openworld
    openworld.evaluate(side, score, correct)

    model = openworld.load_model("pocket")
    run = openworld.tune("gmop", model, "photos", out="run")
    run.predict("photo.jpg")

Scores are larger for samples that look more like the base classes, everywhere. Values are fractions
in [0, 1]. Undefined metrics give the reason; invalid input raises ValueError.
"""

from . import _core, metrics, osr
from ._analyses import (
    ClassAccuracy,
    Curve,
    Diagnosis,
    NextBatch,
    Sensitivity,
    SensitivityRow,
    Share,
    Threshold,
    UnknownThreshold,
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
    OpenSetDetection,
    compare_detections,
    detect,
    detect_openset,
)
from ._evaluate import Accumulator, evaluate, evaluate_file, load, save, set_memory_limit
from ._jobs import load_model, tune, zeroshot
from ._keywords import Option
from ._learners import Learner, learners
from ._library import DATA_FOLDER
from ._model import Model
from ._openset import (
    OpenSet,
    OpenSetPair,
    openset,
    random_embeddings,
    random_words,
    wordnet_siblings,
)
from ._results import Evaluation, Interval, MeasuredValue, Metric
from ._runs import (
    Answer,
    Answers,
    Run,
    RunComparison,
    StoredThreshold,
    StoredUnknown,
    compare_runs,
    open_run,
    report,
)
from ._samplesize import Components, SampleSize, Study, samplesize
from ._score import score
from ._series import Drc, Friedman, SeedSummary, aggregate_seeds, drc, friedman
from ._zeroshot import ZeroShot

_core.set_data_folder(DATA_FOLDER)

__all__ = [
    "Accumulator",
    "Answer",
    "Answers",
    "CategoryDetection",
    "ClassAccuracy",
    "ComparedMetric",
    "Comparison",
    "Components",
    "Curve",
    "Detection",
    "DetectionDifference",
    "Diagnosis",
    "Drc",
    "Evaluation",
    "Friedman",
    "Interval",
    "Learner",
    "MeasuredValue",
    "Metric",
    "Model",
    "NextBatch",
    "OpenSet",
    "OpenSetDetection",
    "OpenSetPair",
    "Option",
    "Predictions",
    "Run",
    "RunComparison",
    "SampleSize",
    "SeedSummary",
    "Sensitivity",
    "SensitivityRow",
    "Share",
    "StoredThreshold",
    "StoredUnknown",
    "Study",
    "Threshold",
    "UnknownThreshold",
    "ZeroShot",
    "__version__",
    "aggregate_seeds",
    "compare",
    "compare_detections",
    "compare_runs",
    "curve",
    "detect",
    "detect_openset",
    "diagnose",
    "drc",
    "evaluate",
    "evaluate_file",
    "friedman",
    "learners",
    "load",
    "load_model",
    "metrics",
    "open_run",
    "openset",
    "osr",
    "per_class",
    "random_embeddings",
    "random_words",
    "report",
    "samplesize",
    "save",
    "score",
    "sensitivity",
    "set_memory_limit",
    "threshold",
    "tune",
    "wordnet_siblings",
    "zeroshot",
]
