"""Run folders of tuning: what they hold, predictions with them, comparisons, reports."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence as SequenceOf
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union, overload

from . import _core
from ._analyses import Threshold, make_threshold
from ._core import Predictions
from ._evaluate import Names, as_names, evaluate
from ._frames import to_frame
from ._images import as_images
from ._keywords import Path, checked, eval_options, to_keywords, to_path
from ._library import models
from ._model import Model
from ._progress import Progress, Reporter
from ._results import Evaluation


@dataclass(frozen=True)
class Answer:
    """What a tuned model says of one image.

    ``side`` is "base", "new" or "unknown", ``label`` the class on that side (None for unknown), ``r``
    the score that is larger for images of base classes, and ``fit`` the largest logit of
    all names. The new class is None where the run has no new names.
    """

    path: str
    side: str
    label: Optional[str]
    r: float
    fit: float
    base_class: str
    base_probability: float
    new_class: Optional[str]
    new_probability: Optional[float]


class Answers(SequenceOf[Answer]):
    """Answers in the order of the images; ``skipped`` images could not be read."""

    def __init__(self, answers: List[Answer], skipped: int) -> None:
        self._answers = answers
        self.skipped = skipped

    @overload
    def __getitem__(self, place: int) -> Answer: ...

    @overload
    def __getitem__(self, place: slice) -> List[Answer]: ...

    def __getitem__(self, place: Union[int, slice]) -> Union[Answer, List[Answer]]:
        return self._answers[place]

    def __len__(self) -> int:
        return len(self._answers)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row an image."""
        return to_frame(self._rows())

    def to_csv(self, path: Path) -> None:
        """Writes what ``openworld predict --csv`` does."""
        _core.write_answers_csv(self._rows(), to_path(path, "to_csv", "path"))

    def to_jsonl(self, path: Path) -> None:
        """Writes what ``openworld predict --jsonl`` prints: a line of JSON for each image."""
        _core.write_answers_json_lines(self._rows(), to_path(path, "to_jsonl", "path"))

    @checked
    def sort_into(self, folder: Path, *, copy: bool = False) -> None:
        """Makes a folder with links to the images, or copies, in base/CLASS, new/CLASS and unknown.

        The folder must be new or empty: nothing is overwritten. ValueError for images that are not
        files.
        """
        _core.sort_images(self._rows(), to_path(folder, "sort_into", "folder"), copy)

    def _rows(self) -> List[Dict[str, Any]]:
        return [asdict(answer) for answer in self._answers]

    def __repr__(self) -> str:
        lines = [f"{len(self)} answers, {self.skipped} skipped"]
        for a in self._answers:
            lines.append(f"  {a.path}  {a.side}  {a.label or '-'}  r {a.r:.4f}")
        return "\n".join(lines)


@dataclass(frozen=True)
class StoredUnknown:
    """The threshold of a run for unknown images: of those that are not base, fit <= ``value``."""

    value: float
    max_unknown: float
    confidence: float


@dataclass(frozen=True)
class StoredThreshold:
    """The threshold of a run: an image is base if its r is above ``value``."""

    value: float
    max_miss: float
    confidence: float
    unknown: Optional[StoredUnknown] = None


class Run:
    """A run folder of tune() or ``openworld tune``."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._spec: Dict[str, Any] = json.loads(_core.run_spec(path))
        self._opened: Tuple[Any, Any] = (None, None)

    @property
    def spec(self) -> Dict[str, Any]:
        """What the run is, as in run.json: method, options, seed, model, data, classes."""
        return self._spec

    @property
    def finished(self) -> bool:
        """Whether it has a result; tune() resumes a run that has none."""
        return _core.run_is_finished(self.path)

    @property
    def result(self) -> Dict[str, Any]:
        """What was measured, as in result.json, with what it cost. ValueError if unfinished."""
        result: Dict[str, Any] = json.loads(_core.run_result(self.path))
        return result

    @property
    def metrics(self) -> Dict[str, Optional[float]]:
        """The values of the result by name, None where undefined."""
        return {name: fields["value"] for name, fields in self.result["metrics"].items()}

    def predictions(self) -> Predictions:
        """Scores and outcomes of the test images, for evaluate() and all other functions."""
        return _core.load_predictions(_core.run_predictions(self.path))

    def evaluate(self, **options: Any) -> Evaluation:
        """evaluate(run.predictions(), **options)."""
        return evaluate(self.predictions(), **options)

    @property
    def threshold(self) -> Optional[StoredThreshold]:
        """The threshold that set_threshold() kept, or None."""
        fields = _core.run_threshold(self.path)
        if fields is None:
            return None
        if fields["unknown"] is not None:
            fields["unknown"] = StoredUnknown(**fields["unknown"])
        return StoredThreshold(**fields)

    @checked
    def set_threshold(
        self,
        max_miss: float,
        *,
        max_unknown: Optional[float] = None,
        unknown: Any = None,
        next: int = 0,
        confidence: float = _core.CONFIDENCE,
    ) -> Threshold:
        """Finds the threshold with that guarantee on the test images and keeps it in the run.

        max_unknown: also one for unknown images, which calls at most that share of images of listed
            names unknown; predict() then answers base, new or unknown.
        unknown: images that are on no list, as for predict(): how many of them are kept out.
        next: also what holds for a batch of so many images to come.

        predict() applies it from then on, as ``openworld predict`` does. ValueError where no
        threshold has the guarantee; see threshold().
        """
        answers: Sequence[Answer] = [] if unknown is None else self.predict(unknown)
        return make_threshold(
            _core.set_run_threshold(
                self.path,
                max_miss,
                confidence,
                max_unknown,
                next,
                [answer.r for answer in answers],
                [answer.fit for answer in answers],
            )
        )

    @checked
    def predict(
        self,
        images: Any,
        *,
        model: Union[Model, Path, None] = None,
        vocabulary: Optional[Path] = None,
        device: Optional[str] = None,
        batch: Optional[int] = None,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> Answers:
        """Base, new or unknown, and which class: what ``openworld predict`` says of the same images.

        images: as for Model.encode_images(); images that cannot be read are skipped with a
            RuntimeWarning.
        model, vocabulary: where the checkpoint is now; None is where the run says.

        The first call loads the model; later ones with the same arguments do not.
        """
        taken = as_images(images, "predict")
        path = model.path if isinstance(model, Model) else model
        options = {"vocabulary": vocabulary, "device": device, "batch": batch, "threads": threads}
        keywords = to_keywords(options, "predict")
        source = "" if path is None else to_path(path, "predict", "model")
        key = (source, keywords, self._threshold_stamp())
        if self._opened[0] != key:
            self._opened = (key, models().TunedModel(self.path, source, keywords))
            for assumption in self._opened[1].assumptions:
                warnings.warn(f"{self.path}: {assumption}", RuntimeWarning, stacklevel=3)
        with Reporter(progress) as reporter:
            answers, skipped = self._opened[1].predict(taken, reporter)
        return Answers([Answer(**answer) for answer in answers], skipped)

    def _threshold_stamp(self) -> Any:
        try:
            stat = os.stat(os.path.join(self.path, "threshold.json"))
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        state = "unfinished"
        if self.finished:
            values = (f"{n} {'-' if v is None else format(v, '.4f')}" for n, v in self.metrics.items())
            state = ", ".join(values)
        spec = self.spec
        return (
            f"<openworld.Run: {self.path}, {spec['method']} on {spec['data']['path']}, "
            f"seed {spec['seed']}; {state}>"
        )


@checked
def open_run(folder: Path) -> Run:
    """A run of tune() or ``openworld tune`` from its folder. It does not open libtorch."""
    return Run(to_path(folder, "open_run", "folder"))


class RunComparison:
    """Methods over datasets and seeds: values, and differences from the reference.

    ``labels`` are the methods, ``reference`` the one that others are compared with. repr() is the
    table of ``openworld eval RUN...``.
    """

    def __init__(self, text: str, table: str) -> None:
        self._json = text
        self._table = table
        fields = json.loads(text)
        self.labels: List[str] = [row["label"] for row in fields["methods"]]
        self.datasets: List[str] = fields["datasets"]
        self.reference: str = fields["reference"]

    def to_json(self) -> str:
        """What ``openworld eval RUN... --json`` prints, without its cost."""
        return self._json

    def to_dict(self) -> Dict[str, Any]:
        """The JSON, parsed."""
        result: Dict[str, Any] = json.loads(self._json)
        return result

    def rows(self) -> List[Dict[str, Any]]:
        """A row for each label and metric: value, difference, their intervals, p-values."""
        fields = self.to_dict()
        differences = {row["label"]: row["metrics"] for row in fields["differences"]}
        rows = []
        for method in fields["methods"]:
            for name, value in method["metrics"].items():
                difference = differences.get(method["label"], {}).get(name, {})
                low, high = _bounds(value)
                difference_low, difference_high = _bounds(difference)
                rows.append(
                    {
                        "label": method["label"],
                        "metric": name,
                        "value": value["value"],
                        "low": low,
                        "high": high,
                        "difference": difference.get("difference"),
                        "difference_low": difference_low,
                        "difference_high": difference_high,
                        "p_value": difference.get("p_value"),
                        "p_value_holm": difference.get("p_value_holm"),
                    }
                )
        return rows

    def to_frame(self) -> Any:
        """rows() as a pandas DataFrame."""
        return to_frame(self.rows())

    def __repr__(self) -> str:
        return self._table.rstrip("\n")


def _bounds(fields: Dict[str, Any]) -> Tuple[Optional[float], Optional[float]]:
    interval = fields.get("interval") or {}
    return interval.get("low"), interval.get("high")


Paths = Union[Path, Run, Iterable[Union[Path, Run]]]


def _paths(paths: Paths, function: str, name: str) -> List[str]:
    items = [paths] if isinstance(paths, (str, os.PathLike, Run)) else paths
    return [to_path(path, function, name) for path in items]


def compare_runs(
    runs: Paths, *, against: str = "", metrics: Optional[Names] = None, **options: Any
) -> RunComparison:
    """Methods averaged over seeds and datasets, and their paired differences from a reference.

    runs: runs or folders of them; a folder of seed-N folders stands for those.
    against: the label of the reference; "" is zero-shot CLIP if there is one, else the first.
    metrics: names; None is what tables of prompt learners have.
    options: as for evaluate(). Intervals are by a two-way bootstrap over samples and seeds.
    """
    names = None if metrics is None else as_names(metrics)
    chosen = eval_options("compare_runs", options)
    text, table = _core.compare_runs(_paths(runs, "compare_runs", "a run"), against, names, chosen)
    return RunComparison(text, table)


def report(
    paths: Paths,
    *,
    out: Path,
    title: str = _core.REPORT_TITLE,
    against: str = "",
    samples: int = _core.REPORT_SAMPLES,
    data: Paths = (),
    image_root: Path = "",
    metrics: Optional[Names] = None,
    **options: Any,
) -> Dict[str, Any]:
    """Writes runs, open-set tests, prediction files and studies as one interactive page of HTML.

    paths: runs, folders of them, and prediction files.
    out: the .html file.
    samples: samples shown of each test set; 0 for none. Images of bundled worlds are always shown,
        others if ``data`` names their dataset as the runs do.
    against, metrics, options: as for compare_runs().

    Returns what ``openworld report --json`` prints, without its cost.
    """
    if samples < 0:
        raise ValueError(f"[report] samples is {samples}; expected 0 or more")
    text = _core.report(
        _paths(paths, "report", "a path"),
        to_path(out, "report", "out"),
        title,
        against,
        samples,
        _paths(data, "report", "data"),
        to_path(image_root, "report", "image_root"),
        None if metrics is None else as_names(metrics),
        eval_options("report", options),
    )
    result: Dict[str, Any] = json.loads(text)
    return result
