# The C++ extension. Not for direct use: the package wraps it.

from typing import Any, Dict, Iterable, List, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

__version__: str
PAPER_RATIOS: List[float]
MAX_MISS: float
CONFIDENCE: float
REPORT_TITLE: str
REPORT_SAMPLES: int

_Names = Union[str, Iterable[str]]

class Options:
    def __init__(
        self,
        function: str,
        *,
        ties: Optional[str] = ...,
        open: Union[str, int, None] = ...,
        ci: Optional[str] = ...,
        bootstrap: str = ...,
        level: float = ...,
        resamples: int = ...,
        seed: int = ...,
        threads: int = ...,
        threshold: Optional[float] = ...,
        grid: bool = ...,
    ) -> None: ...

class Predictions:
    def __init__(
        self,
        side: Optional[npt.ArrayLike] = ...,
        score: Optional[npt.ArrayLike] = ...,
        correct: Optional[npt.ArrayLike] = ...,
        *,
        base_logits: Optional[npt.ArrayLike] = ...,
        new_logits: Optional[npt.ArrayLike] = ...,
        label: Optional[npt.ArrayLike] = ...,
        overall_correct: Optional[npt.ArrayLike] = ...,
        predicted: Optional[npt.ArrayLike] = ...,
        base_classes: Optional[int] = ...,
        new_classes: Optional[int] = ...,
        classes: Optional[Sequence[str]] = ...,
        meta: Any = ...,
        _function: str = ...,
        _needs_correct: bool = ...,
    ) -> None: ...
    @property
    def side(self) -> npt.NDArray[np.int8]: ...
    @property
    def score(self) -> npt.NDArray[Any]: ...
    @property
    def correct(self) -> npt.NDArray[np.bool_]: ...
    @property
    def overall_correct(self) -> Optional[npt.NDArray[np.bool_]]: ...
    @property
    def label(self) -> Optional[npt.NDArray[np.int32]]: ...
    @property
    def predicted(self) -> Optional[npt.NDArray[np.int32]]: ...
    @property
    def fit(self) -> Optional[npt.NDArray[Any]]: ...
    @property
    def base_classes(self) -> int: ...
    @property
    def new_classes(self) -> int: ...
    @property
    def classes(self) -> List[str]: ...
    @property
    def meta(self) -> Any: ...
    @property
    def path(self) -> str: ...
    def __len__(self) -> int: ...

class Accumulator:
    def __init__(self) -> None: ...
    def update(
        self,
        side: npt.ArrayLike,
        score: Optional[npt.ArrayLike] = ...,
        correct: Optional[npt.ArrayLike] = ...,
        *,
        base_logits: Optional[npt.ArrayLike] = ...,
        new_logits: Optional[npt.ArrayLike] = ...,
        label: Optional[npt.ArrayLike] = ...,
        overall_correct: Optional[npt.ArrayLike] = ...,
        predicted: Optional[npt.ArrayLike] = ...,
        base_classes: Optional[int] = ...,
        new_classes: Optional[int] = ...,
    ) -> None: ...
    def merge(self, other: Accumulator) -> None: ...
    def reset(self) -> None: ...
    def compute(self, metrics: _Names, options: Options) -> Dict[str, Any]: ...
    def __len__(self) -> int: ...

def load_predictions(path: str) -> Predictions: ...
def set_memory_limit(bytes: Optional[int]) -> None: ...
def memory_limit() -> Optional[int]: ...
def set_data_folder(folder: str) -> None: ...
def request_options() -> str: ...
def refuse_keyword(function: str, name: str, known: List[str]) -> NoReturn: ...
def run_spec(folder: str) -> str: ...
def run_result(folder: str) -> str: ...
def run_is_finished(folder: str) -> bool: ...
def run_predictions(folder: str) -> str: ...
def run_threshold(folder: str) -> Optional[Dict[str, Any]]: ...
def set_run_threshold(
    folder: str,
    max_miss: float,
    confidence: float,
    max_unknown: Optional[float],
    next: int,
    unknown_r: List[float],
    unknown_fit: List[float],
) -> Dict[str, Any]: ...
def write_answers_csv(answers: List[Dict[str, Any]], path: str) -> None: ...
def write_answers_json_lines(answers: List[Dict[str, Any]], path: str) -> None: ...
def sort_images(answers: List[Dict[str, Any]], folder: str, copy: bool) -> None: ...
def parse_seed_list(text: str, function: str) -> List[int]: ...
def compare_runs(
    paths: List[str], against: str, metrics: Optional[_Names], options: Options
) -> Tuple[str, str]: ...
def report(
    paths: List[str],
    out: str,
    title: str,
    against: str,
    samples: int,
    data: List[str],
    image_root: str,
    metrics: Optional[_Names],
    options: Options,
) -> str: ...
def format_table(header: List[str], rows: List[List[str]], format: str) -> str: ...
def save_predictions(predictions: Predictions, path: str) -> None: ...
def metric_table() -> List[Dict[str, Any]]: ...
def needs_correct(metrics: _Names) -> bool: ...
def metric(
    predictions: Predictions,
    row: str,
    params: Sequence[float],
    ties: Optional[str] = ...,
    open: Union[str, int, None] = ...,
    threshold: Optional[float] = ...,
    grid: bool = ...,
) -> float: ...
def evaluate(predictions: Predictions, metrics: _Names, options: Options) -> Dict[str, Any]: ...
def curve_table() -> List[Dict[str, Any]]: ...
def curve(
    predictions: Predictions, kind: str, open: Union[str, int, None], max_points: int
) -> Dict[str, Any]: ...
def threshold_counts(
    predictions: Predictions,
) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def compare(
    a: Predictions, b: Predictions, metrics: _Names, options: Options
) -> List[Dict[str, Any]]: ...
def holm_adjust(p_values: Sequence[float]) -> List[float]: ...
def diagnose(predictions: Predictions, ties: Optional[str]) -> Dict[str, Any]: ...
def sensitivity(
    predictions: Predictions,
    ratios: Sequence[float],
    relative: bool,
    repeats: int,
    seed: int,
    ties: Optional[str],
    threshold: Optional[float],
) -> Dict[str, Any]: ...
def samplesize(
    runs: Sequence[Predictions],
    metric: str,
    half_width: float,
    level: float,
    ratio: Optional[float],
    base: Optional[int],
    open_samples: Optional[int],
    seeds: Optional[int],
    ties: Optional[str],
    open: Union[str, int, None],
) -> Dict[str, Any]: ...
def per_class(predictions: Predictions, level: float) -> List[Dict[str, Any]]: ...
def guarantee_threshold(
    predictions: Predictions,
    max_miss: float,
    confidence: float,
    max_unknown: Optional[float],
    fit: Any,
    next: int,
) -> Dict[str, Any]: ...
def load_fit(path: str) -> npt.NDArray[np.float64]: ...
def name_fit(base_logits: Any, new_logits: Any) -> npt.NDArray[np.float64]: ...
def drc(
    levels: Sequence[float],
    accuracies: Sequence[float],
    zero_shot: Optional[Sequence[float]],
    density: Optional[Sequence[Tuple[float, float]]],
) -> Dict[str, Any]: ...
def friedman(table: npt.ArrayLike, higher_is_better: bool, alpha: float) -> Dict[str, Any]: ...
def summarize_seeds(values: Sequence[float], level: float) -> Dict[str, Any]: ...
def score(
    *,
    images: Any,
    texts: Any,
    label: Any,
    text_label: Any,
    names: Union[str, List[str], None],
    base: Union[str, List[str]],
    new: Union[str, List[str], None],
    unknown: Any,
    scores: str,
    logit_scale: float,
    logit_bias: float,
    activation: str,
    ensemble: str,
    normalize: bool,
    mcm_temperature: float,
    threads: int,
) -> List[Tuple[str, Predictions]]: ...
def openset(
    *,
    logits: Optional[npt.ArrayLike],
    label: Optional[npt.ArrayLike],
    negatives: Union[int, npt.ArrayLike, None],
    images: Optional[npt.ArrayLike],
    texts: Optional[npt.ArrayLike],
    extra: Optional[npt.ArrayLike],
    logit_scale: float,
    logit_bias: float,
    activation: str,
    normalize: bool,
    mcm_temperature: float,
    measures: str,
    counts: Optional[List[int]],
    sizes: Optional[List[int]],
    seeds: List[int],
    ci: Optional[str],
    bootstrap: str,
    level: float,
    resamples: int,
    seed: int,
    threads: int,
) -> Dict[str, Any]: ...
def compare_openset(
    right_a: npt.ArrayLike,
    closed_a: npt.ArrayLike,
    error_a: npt.ArrayLike,
    open_a: npt.ArrayLike,
    right_b: npt.ArrayLike,
    closed_b: npt.ArrayLike,
    error_b: npt.ArrayLike,
    open_b: npt.ArrayLike,
    *,
    ci: Optional[str],
    bootstrap: str,
    level: float,
    resamples: int,
    seed: int,
    threads: int,
) -> List[Dict[str, Any]]: ...
def random_words(count: int) -> List[str]: ...
def random_embeddings(
    texts: npt.ArrayLike, count: int, distribution: str, seed: int
) -> npt.NDArray[np.float32]: ...
def wordnet_siblings(names: List[str], folder: str) -> Tuple[List[str], List[str]]: ...
def detection_metric_table() -> List[Dict[str, Any]]: ...
def detect_openset(
    annotations: CocoAnnotations,
    source: Any,
    *,
    matching: str,
    ignore_crowds: bool,
    any_score: bool,
    options: Options,
    function: str,
) -> Dict[str, Any]: ...

class CocoAnnotations:
    def __init__(self, source: Any, type: str, function: str) -> None: ...
    def image_ids(self) -> List[int]: ...
    def category_ids(self) -> List[int]: ...

class MatchedDetections:
    def __init__(
        self,
        annotations: CocoAnnotations,
        results: Any,
        type: str,
        *,
        any_score: bool,
        threads: int,
        params: Optional[Dict[str, Any]] = ...,
        function: str,
    ) -> None: ...
    def accumulate(self) -> Dict[str, Any]: ...
    def evaluate(self, options: Options) -> Dict[str, Any]: ...
    def compare(self, other: MatchedDetections, options: Options) -> Dict[str, Dict[str, Any]]: ...
