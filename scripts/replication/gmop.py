"""Claims of Hua et al., "OpenworldAUC", ICML 2025, on the eleven Doodles datasets with the pocket model."""

import dataclasses
import json
import pathlib
import random
import shutil
import subprocess

import numpy as np

from page import fill, table

PAGE, SEEDS, FLAGS = "replication.md", "1-5", ()
TUNE = pathlib.Path(__file__).resolve().parents[1] / "tune-pocket"
THEMES = ("animals", "body", "clothes", "food", "gear", "home", "instruments", "outdoors", "shapes",
          "vehicles")
DATASETS = ("all", *THEMES)
SHOTS, PARTITIONS, ALPHAS = (1, 2, 4, 8, 16), (2, 3, 4, 5), ("0", "0.5", "1", "2")
GATES = {"sigmoid": "sigmoid of the probability (released)", "logit": "sigmoid of the logit (paper)",
         "zero_one": "0-1", "none": "none"}
# As published: random init where the paper of the method has it, and the published number of rows.
PUBLISHED = {"zero-shot": "CLIP", "coop-noise": "CoOp", "kgcoop": "KgCoOp", "prograd": "ProGrad",
             "locoop-noise": "LoCoOp", "decoop-noise": "DeCoOp", "gmop-noise": "GMoP"}
FROM_WORDS = {"zero-shot": "CLIP", "coop": "CoOp", "kgcoop": "KgCoOp", "prograd": "ProGrad", "locoop": "LoCoOp",
              "decoop": "DeCoOp", "gmop": "GMoP"}
TITLES = {**{label: f"{title} from words" if f"{label}-noise" in PUBLISHED else title
             for label, title in FROM_WORDS.items()}, **{k: v for k, v in PUBLISHED.items() if k.endswith("-noise")}}
NOT_RUN = "Not run yet."
METRICS = ("base_acc", "new_acc", "hm", "auroc", "openworld_auc")


@dataclasses.dataclass(frozen=True)
class Run:
    label: str
    method: str
    dataset: str
    flags: tuple
    folder: pathlib.Path


def settings():
    """label -> (method, flags)."""
    def option(*assignments):
        return tuple(word for assignment in assignments for word in ("--set", assignment))

    plan = {method: (method, ()) for method in TITLES}
    for k in PARTITIONS:
        if k != 3:
            plan[f"gmop-k{k}"] = ("gmop", option(f"partitions={k}"))
    for alpha in ALPHAS:
        if alpha != "0.5":
            plan[f"gmop-alpha{alpha}"] = ("gmop", option(f"alpha={alpha}"))
    for gate in GATES:
        if gate != "sigmoid":
            plan[f"gmop-gate-{gate}"] = ("gmop", option(f"gate={gate}"))
    for shots in SHOTS:
        if shots != 16:
            for method in ("gmop", "coop", "coop-noise"):
                plan[f"{method}-shots{shots}"] = (method, ("--shots", str(shots)))
    plan["gmop-single"] = ("gmop", option("single=true"))
    plan["gmop-trained"] = ("gmop", option("new=trained"))
    return plan


def runs(out):
    """Every run: the ones that all claims need first, and of these and the others the long ones last."""
    plan = [Run(label, method, dataset, flags, out / label / dataset)
            for label, (method, flags) in settings().items() for dataset in DATASETS]
    return sorted(plan, key=lambda run: (run.label not in TITLES, run.dataset == "all"))


def command(run, program, seeds, threads):
    """What trains a run; the same command resumes it. tune-pocket takes the program from OPENWORLD_BIN."""
    return [TUNE, run.method, run.dataset, run.folder, "--seeds", seeds, "--threads", threads, "--label", run.label,
            "--cache", run.folder.parents[1] / "features", *run.flags]


class Results:
    """What `openworld eval` says of runs, in percent."""

    def __init__(self, program, out, seeds=range(1, 6)):
        self.program, self.out, self.seeds = program, out, seeds

    def finished(self, labels):
        """The datasets on which all of these have finished, all seeds."""
        return [dataset for dataset in DATASETS
                if all((self.out / label / dataset / f"seed-{seed}" / "result.json").exists()
                       for label in labels for seed in self.seeds)]

    def shown(self, titles=TITLES):
        """Those that have finished on the ten themes."""
        return {label: title for label, title in titles.items() if set(THEMES) <= set(self.finished([label]))}

    def main_datasets(self):
        """The datasets of the tables of all methods."""
        return self.finished(self.shown())

    def openworld(self, *args):
        done = subprocess.run([self.program, *map(str, args), "--json"], check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def compare(self, labels, against, datasets, root=None, metrics="openworld_auc"):
        """({label: {metric: (value, half width)}}, {label: {metric: difference}}) over all seeds."""
        folders = [(root or self.out) / label / dataset for label in labels for dataset in datasets]
        result = self.openworld("eval", *folders, "--metrics", metrics, "--against", against,
                                "--resamples", 2000)
        values = {}
        for method in result["methods"]:
            values[method["label"]] = {
                name: (100 * m["value"], 50 * (m["interval"]["high"] - m["interval"]["low"]) if m["interval"] else 0)
                for name, m in method["metrics"].items()}
        differences = {row["label"]: row["metrics"] for row in result["differences"]}
        return values, differences


def plus_minus(pair):
    return f"{pair[0]:.2f} ± {pair[1]:.2f}"


def signed(metric):
    """+0.53 [+0.21, +0.86], p 0.002."""
    text = f"{100 * metric['difference']:+.2f}"
    if metric.get("interval"):
        text += f" [{100 * metric['interval']['low']:+.2f}, {100 * metric['interval']['high']:+.2f}]"
    return text


def excludes_zero(metric):
    interval = metric.get("interval")
    return bool(interval) and (interval["low"] > 0 or interval["high"] < 0)


def verdict(metric, better):
    """Of "the first is better than the second" where metric is second minus first."""
    if not excludes_zero(metric):
        return "no difference found"
    return ("holds" if (metric["difference"] < 0) == better else "the opposite")


def against_gmop(results, titles, gmop):
    """GMoP beside other learners."""
    datasets, titles = results.main_datasets(), results.shown(titles)
    values, differences = results.compare(titles, gmop, datasets, metrics=",".join(METRICS))
    rows = []
    for label, title in titles.items():
        own = differences.get(label, {}).get("openworld_auc")
        over = own.get("interval_over_datasets") if own else None
        rows.append([title, *(plus_minus(values[label][m]) for m in METRICS), signed(turned(own)) if own else "",
                     over_text(over) if over else "", verdict(own, True) if own else ""])
    return table([f"{len(datasets)} datasets", "BaseAcc", "NewAcc", "HM", "AUROC", "OpenworldAUC", "GMoP minus it",
                  "over datasets", "GMoP is better"], rows)


def by_dataset(results):
    datasets = results.main_datasets()
    result = results.openworld("eval", *[results.out / label / d for label in results.shown() for d in datasets],
                               "--metrics", "openworld_auc", "--ci", "none")
    rows = []
    for dataset in datasets:
        cells = [100 * m["metrics"]["openworld_auc"]["by_dataset"][f"doodles:{dataset}"]["value"]
                 for m in result["methods"]]
        best = max(cells)
        rows.append([dataset, *(f"**{c:.2f}**" if c == best else f"{c:.2f}" for c in cells)])
    return table(["", *(TITLES[m["label"]] for m in result["methods"])], rows)


def across(results):
    """GMoP from words beside CoOp as published, and beside itself as published."""
    labels = ("coop-noise", "gmop-noise", "gmop")
    differences = results.compare(labels, "gmop", results.main_datasets())[1]
    return "; ".join(f"minus {TITLES[label]} as published {signed(turned(differences[label]['openworld_auc']))}"
                     for label in labels[:2])


def flip(interval):
    return interval and {**interval, "low": -interval["high"], "high": -interval["low"]}


def turned(metric):
    """The difference the other way round."""
    return {**metric, "difference": -metric["difference"], "interval": flip(metric.get("interval"))}


def over_text(interval):
    return f"[{-100 * interval['high']:+.2f}, {-100 * interval['low']:+.2f}]"


def ratio_table(results):
    """Tables 11 and 12: how far each metric moves over the ten ratios, mean over datasets of the first seed."""
    names = ("overall_acc", "openworld_auc", "auroc", "hm")
    rows, moves = [], []
    for label in ("zero-shot", "coop-noise", "gmop-noise", "gmop"):
        curves = {name: [] for name in names}
        for dataset in results.main_datasets():
            result = results.openworld("sensitivity", results.out / label / dataset / "seed-1", "--relative",
                                       "--repeats", 20)
            for name in names:
                curves[name].append([100 * row["metrics"][name]["value"] for row in result["rows"]])
        means = {name: np.mean(curves[name], 0) for name in names}
        swing = {name: np.ptp(means[name]) for name in names}
        rows.append([TITLES[label], *(f"{means['overall_acc'][i]:.2f}" for i in (0, 4, 9)),
                     *(f"{swing[name]:.2f}" for name in names)])
        moves.append(f"{TITLES[label]}: {'yes' if swing['overall_acc'] > 2 * max(swing[n] for n in names[1:]) else 'no'}")
    header = ["", "OverallAcc at 10", "at 1", "at 0.1", "range of OverallAcc", "of OpenworldAUC", "of AUROC", "of HM"]
    return table(header, rows), "; ".join(moves)


def thin(out, label, dataset, side, to):
    """A run whose test images of one side are a fifth, class by class, the same ones in all runs."""
    for folder in sorted((out / label / dataset).glob("seed-*")):
        target = to / label / dataset / folder.name
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "run.json", target / "run.json")
        result = json.loads((folder / "result.json").read_text())
        del result["files"]  # hashes, which the thinned predictions do not have
        (target / "result.json").write_text(json.dumps(result))
        with np.load(folder / "predictions.npz") as file:
            arrays = dict(file)
        draw = random.Random(1)
        kept = []
        for c in np.unique(arrays["label"][arrays["side"] == side]):
            rows = np.flatnonzero((arrays["side"] == side) & (arrays["label"] == c)).tolist()
            kept += draw.sample(rows, int(max(0.2 * len(rows), 1)))
        rows = np.sort(np.concatenate([kept, np.flatnonzero(arrays["side"] != side)])).astype(int)
        count = len(arrays["side"])
        np.savez(target / "predictions.npz",
                 **{name: a[rows] if a.shape[:1] == (count,) else a for name, a in arrays.items()})


def imbalance_table(results):
    """Table 3: every class of one side thinned to a fifth."""
    rows, datasets = [], results.main_datasets()
    for name, side, gmop in ((f"{name}, {start}", side, gmop) for name, side in (("new thinned", 1), ("base thinned", 0))
                             for start, gmop in (("as published", "gmop-noise"), ("from words", "gmop"))):
        titles = results.shown(PUBLISHED if gmop == "gmop-noise" else FROM_WORDS)
        labels = [label for label, title in titles.items() if title in ("CLIP", "CoOp", "DeCoOp", "GMoP")]
        root = results.out / "thinned" / str(side)
        for label in labels:
            for dataset in datasets:
                thin(results.out, label, dataset, side, root)
        values, differences = results.compare(labels, gmop, datasets, root)
        for label in labels:
            own = differences.get(label, {}).get("openworld_auc")
            rows.append([name, titles[label], plus_minus(values[label]["openworld_auc"]),
                         signed(turned(own)) if own else "", verdict(own, True) if own else ""])
    shutil.rmtree(results.out / "thinned")
    return table(["", "", "OpenworldAUC", "GMoP minus it", "GMoP is better"], rows)


def sweep(results, labels, reference, header):
    """Variants of GMoP beside the default."""
    datasets = results.finished(labels)
    if not datasets:
        return NOT_RUN
    values, differences = results.compare(list(labels), reference, datasets, metrics="openworld_auc,auroc,base_acc")
    rows = []
    for label, title in labels.items():
        own = differences.get(label, {}).get("openworld_auc")
        rows.append([title, *(plus_minus(values[label][m]) for m in ("openworld_auc", "auroc", "base_acc")),
                     signed(own) if own else "the default",
                     "" if not own else ("differs" if excludes_zero(own) else "no difference found")])
    return table([f"{header} ({len(datasets)} datasets)".strip(), "OpenworldAUC", "AUROC", "BaseAcc", "minus the default", ""], rows)


def shots_table(results):
    labels = {shots: [m if shots == 16 else f"{m}-shots{shots}" for m in ("coop-noise", "coop", "gmop")]
              for shots in SHOTS}
    datasets = results.finished([name for names in labels.values() for name in names])
    if not datasets:
        return NOT_RUN
    rows = []
    for shots, names in labels.items():
        values, differences = results.compare(["zero-shot", *names], names[2], datasets)
        rows.append([shots, *(plus_minus(values[n]["openworld_auc"]) for n in names),
                     *(signed(turned(differences[n]["openworld_auc"])) for n in ("zero-shot", *names[:2]))])
    return table([f"shots ({len(datasets)} datasets)", "CoOp", "CoOp from words", "GMoP from words", "GMoP minus CLIP", "minus CoOp",
                  "minus CoOp from words"], rows)


def cost_table(results):
    rows = []
    for label in results.shown():
        costs = [json.loads((results.out / label / "animals" / f"seed-{s}" / "result.json").read_text())
                 for s in (1, 2, 3)]
        run = [c["cost"] for c in costs]
        rows.append([TITLES[label], costs[0]["parameters"], costs[0]["steps"],
                     f"{min(r['train_seconds'] for r in run):.1f}",
                     f"{1e6 * min(r['seconds_per_image'] for r in run):.1f}"])
    return table(["animals, 26 base classes", "learned parameters", "steps", "s of training",
                  "µs to score an image feature"], rows)


def page(program, out):
    results = Results(program, out)
    ratios, moves = ratio_table(results)
    return fill("gmop.md", {
        "as published": against_gmop(results, PUBLISHED, "gmop-noise"),
        "from words": against_gmop(results, FROM_WORDS, "gmop"),
        "across": across(results),
        "by dataset": by_dataset(results),
        "tables 11 and 12": ratios,
        "ratio verdict": moves,
        "table 3": imbalance_table(results),
        "figure 10": sweep(results, {("gmop" if k == 3 else f"gmop-k{k}"): k for k in PARTITIONS}, "gmop", "K"),
        "figure 11": shots_table(results),
        "figure 12": sweep(results, {("gmop" if a == "0.5" else f"gmop-alpha{a}"): a for a in ALPHAS}, "gmop", "alpha"),
        "table 17": sweep(results, {("gmop" if g == "sigmoid" else f"gmop-gate-{g}"): text for g, text in GATES.items()},
                          "gmop", "gate"),
        "figure 13": sweep(results, {"gmop": "mixture, zero-shot h", "gmop-trained": "mixture, trained h",
                                     "gmop-single": "one prompt for all roles"}, "gmop", ""),
        "tables 7 and 16": cost_table(results),
    })
