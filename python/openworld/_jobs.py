"""Functions that run models. Their keywords come from the library's tables; _jobs.pyi lists them."""

from __future__ import annotations

from typing import Any, Iterable, List, Union

from . import _core
from ._keywords import REQUEST_OPTIONS, Path, check_names, list_options, to_keywords, to_path
from ._learners import learners
from ._library import models
from ._model import Model
from ._progress import Progress, Reporter
from ._runs import Run
from ._zeroshot import ZeroShot


def load_model(path: Path, **options: Any) -> Model:
    """Loads a CLIP checkpoint, or a bundled model by its name, as "pocket".

    path: a file or folder of Hugging Face, OpenAI or OpenCLIP; docs/checkpoints.md lists them.

    {options}

    The first call opens libtorch, which takes most of a second; ``import openworld`` does not.
    """
    check_names("load_model", options, REQUEST_OPTIONS["load_model"])
    return Model(to_path(path, "load_model", "path"), options)


def _spec(model: Union[Model, Path], function: str) -> Any:
    if isinstance(model, Model):
        return model._spec
    return models().ModelSpec(to_path(model, function, "model"), [])


def zeroshot(
    model: Union[Model, Path], data: Path, *, progress: Progress = None, **options: Any
) -> ZeroShot:
    """Classifies the images of a dataset by the names of their classes, with nothing tuned.

    model: a Model, or what load_model() takes.
    data: a folder of class folders, doodles:NAME, icons:NAME, or any format of docs/datasets.md.
    progress: see tune().

    {options}

    The same bits as ``openworld zeroshot``.
    """
    check_names("zeroshot", options, [*REQUEST_OPTIONS["zeroshot"], "progress"])
    keywords = to_keywords(options, "zeroshot")
    spec = _spec(model, "zeroshot")
    with Reporter(progress) as reporter:
        return ZeroShot(
            models().zeroshot(spec, to_path(data, "zeroshot", "data"), keywords, reporter)
        )


def _seed_list(seeds: Union[str, Iterable[int]]) -> List[int]:
    text = seeds if isinstance(seeds, str) else ",".join(str(seed) for seed in seeds)
    return _core.parse_seed_list(text, "tune")


def tune(
    method: str,
    model: Union[Model, Path],
    data: Path,
    *,
    out: Path,
    seed: int = 1,
    seeds: Union[str, Iterable[int], None] = None,
    progress: Progress = None,
    **options: Any,
) -> Union[Run, List[Run]]:
    """Tunes prompts on a few images of base classes and measures them in the open world.

    method: a learner; learners() lists them.
    model: a Model, or what load_model() takes.
    data: a folder of class folders, doodles:NAME, icons:NAME, or any format of docs/datasets.md.
    out: the run folder. An unfinished run in it is resumed, to the bits of an unbroken one; a
        finished one is returned as it is.
    seed: of few-shot sampling, prompt init and order.
    seeds: several, [1, 2, 3] or "1-3": a list of runs, in OUT/seed-1 and so on.
    progress: None shows a bar in a terminal and in a notebook, True always, False never; a function
        is called with (what, done, total, note) instead.

    {options}

    Further keywords are options of the method, such as lr=0.002: ``print(learners()["gmop"])``
    lists them; where both have one it is the method's, and lambda_ stands for lambda.

    The run folder has the bits that ``openworld tune`` writes. Other Python threads go on meanwhile.
    Ctrl-C stops after a step: the state is saved, KeyboardInterrupt is raised, and the same call
    resumes. Images that cannot be read are skipped with a RuntimeWarning.
    """
    library = models()
    known = [*REQUEST_OPTIONS["tune"], "out", "seed", "seeds", "progress"]
    if not set(options) <= set(known):
        row = learners().get(str(method))
        check_names("tune", options, [*known, *(row.options if row else options), "lambda_"])
    keywords = to_keywords(options, "tune")
    folder = to_path(out, "tune", "out")
    (only,) = _seed_list([seed])
    chosen = [only] if seeds is None else _seed_list(seeds)
    folders = [folder] if seeds is None else [f"{folder}/seed-{each}" for each in chosen]
    spec = _spec(model, "tune")
    with Reporter(progress) as reporter:
        library.tune(
            str(method),
            spec,
            to_path(data, "tune", "data"),
            list(zip(chosen, folders)),
            keywords,
            reporter,
        )
    runs = [Run(each) for each in folders]
    return runs[0] if seeds is None else runs


def _write_options() -> None:
    """Puts the rows of the options into the docstrings."""
    for function in (load_model, tune, zeroshot):
        if function.__doc__ is not None:  # None under python -OO
            rows = list_options(REQUEST_OPTIONS[function.__name__].values())
            function.__doc__ = function.__doc__.replace("    {options}", rows)


_write_options()
