"""Claims of Hua et al., "OpenworldAUC", ICML 2025, on the eleven Doodles datasets with the pocket model."""

import dataclasses
import json
import pathlib
import random
import shutil
import subprocess

import numpy as np

import room
from page import fill, table

PAGE, SEEDS, FLAGS = "replication.md", "1-5", ()
TUNE = pathlib.Path(__file__).resolve().parents[1] / "tune-pocket"
THEMES = ("animals", "body", "clothes", "food", "gear", "home", "instruments", "outdoors", "shapes",
          "vehicles")
PLAIN = ("all", *THEMES)
# The look that is new to the pocket model.
CLUTTERED = tuple(f"{name}@cluttered" for name in PLAIN)
SHOTS, PARTITIONS, ALPHAS = (1, 2, 4, 8, 16), (2, 3, 4, 5), ("0", "0.5", "1", "2")
GATES = {"sigmoid": "sigmoid of the probability (released)", "logit": "sigmoid of the logit (paper)",
         "zero_one": "0-1", "none": "none"}
METHODS = {"zero-shot": "CLIP", "coop": "CoOp", "kgcoop": "KgCoOp", "prograd": "ProGrad", "locoop": "LoCoOp",
           "decoop": "DeCoOp", "gmop": "GMoP"}
FROM_NOISE = {"zero-shot": "CLIP", "coop-noise": "CoOp, from noise", "locoop-noise": "LoCoOp, from noise",
              "decoop-noise": "DeCoOp, from noise", "gmop-noise": "GMoP, from noise"}
EITHER = {**METHODS, **FROM_NOISE}
# From noise with as many rows as there are words, where sixteen are published.
SHORT = {"coop-noise": ("tokens=4",), "locoop-noise": ("tokens=4",),
         "decoop-noise": ("detector_tokens=4", "classifier_tokens=4"), "gmop-noise": ("detector_tokens=4",)}
FROM_SHORT_NOISE = {"zero-shot": "CLIP", **{f"{label}-short": FROM_NOISE[label] for label in SHORT}}
AT_HOME = {"zero-shot-plain": "CLIP", "coop-plain": "CoOp", "gmop-plain": "GMoP"}
METRICS = ("base_acc", "new_acc", "hm", "auroc", "openworld_auc")


@dataclasses.dataclass(frozen=True)
class Run:
    label: str
    method: str
    dataset: str
    flags: tuple
    folder: pathlib.Path


def settings():
    """label -> (method, flags, datasets)."""
    def option(*assignments):
        return tuple(word for assignment in assignments for word in ("--set", assignment))

    plan = {method: (method, (), CLUTTERED) for method in EITHER}
    for label, assignments in SHORT.items():
        plan[f"{label}-short"] = (label, option(*assignments), CLUTTERED)
    for label in AT_HOME:
        plan[label] = (label.removesuffix("-plain"), (), PLAIN)
    for k in PARTITIONS:
        if k != 3:
            plan[f"gmop-k{k}"] = ("gmop", option(f"partitions={k}"), CLUTTERED)
    for alpha in ALPHAS:
        if alpha != "0.5":
            plan[f"gmop-alpha{alpha}"] = ("gmop", option(f"alpha={alpha}"), CLUTTERED)
    for gate in GATES:
        if gate != "sigmoid":
            plan[f"gmop-gate-{gate}"] = ("gmop", option(f"gate={gate}"), CLUTTERED)
    for shots in SHOTS:
        if shots != 16:
            plan[f"gmop-shots{shots}"] = ("gmop", ("--shots", str(shots)), CLUTTERED)
            plan[f"coop-shots{shots}"] = ("coop", ("--shots", str(shots)), CLUTTERED)
    plan["gmop-single"] = ("gmop", option("single=true"), CLUTTERED)
    plan["gmop-trained"] = ("gmop", option("new=trained"), CLUTTERED)
    return plan


def runs(out):
    """Every run: the ones that all claims need first, and of the others the long ones last."""
    plan = [Run(label, method, dataset, flags, out / label / dataset)
            for label, (method, flags, datasets) in settings().items() for dataset in datasets]
    main = {**EITHER, **FROM_SHORT_NOISE, **AT_HOME}
    return sorted(plan, key=lambda run: (run.label not in main) * (1 + run.dataset.startswith("all")))


def command(run, program, seeds, threads):
    """What trains a run; the same command resumes it. tune-pocket takes the program from OPENWORLD_BIN."""
    return [TUNE, run.method, run.dataset, run.folder, "--seeds", seeds, "--threads", threads, "--label", run.label,
            "--cache", run.folder.parents[1] / "features", *run.flags]


class Results:
    """What `openworld eval` says of runs, in percent."""

    def __init__(self, program, out):
        self.program, self.out = program, out

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


def against_gmop(results, titles, gmop, datasets):
    """GMoP beside other learners."""
    values, differences = results.compare(titles, gmop, datasets, metrics=",".join(METRICS))
    rows = []
    for label, title in titles.items():
        own = differences.get(label, {}).get("openworld_auc")
        over = own.get("interval_over_datasets") if own else None
        rows.append([title, *(plus_minus(values[label][m]) for m in METRICS), signed(turned(own)) if own else "",
                     over_text(over) if over else "", verdict(own, True) if own else ""])
    return table(["eleven datasets", "BaseAcc", "NewAcc", "HM", "AUROC", "OpenworldAUC", "GMoP minus it",
                  "over datasets", "GMoP is better"], rows)


def by_dataset(results):
    result = results.openworld("eval", *[results.out / label / d for label in EITHER for d in CLUTTERED],
                               "--metrics", "openworld_auc", "--ci", "none")
    rows = []
    for dataset in CLUTTERED:
        cells = [100 * m["metrics"]["openworld_auc"]["by_dataset"][f"doodles:{dataset}"]["value"]
                 for m in result["methods"]]
        best = max(cells)
        rows.append([dataset.partition("@")[0], *(f"**{c:.2f}**" if c == best else f"{c:.2f}" for c in cells)])
    return table(["", *(EITHER[m["label"]] for m in result["methods"])], rows)


def flip(interval):
    return interval and {**interval, "low": -interval["high"], "high": -interval["low"]}


def turned(metric):
    """The difference the other way round."""
    return {**metric, "difference": -metric["difference"], "interval": flip(metric.get("interval"))}


def over_text(interval):
    return f"[{-100 * interval['high']:+.2f}, {-100 * interval['low']:+.2f}]"


def ratio_table(results):
    """Tables 11 and 12, mean over datasets of the first seed."""
    names = ("overall_acc", "openworld_auc", "auroc", "hm")
    rows, swing = [], {}
    for label in ("zero-shot", "gmop", "coop-noise"):
        curves = {name: [] for name in names}
        ratios = None
        for dataset in CLUTTERED:
            result = results.openworld("sensitivity", results.out / label / dataset / "seed-1", "--relative",
                                       "--repeats", 20)
            ratios = [row["ratio"] for row in result["rows"]]
            for name in names:
                curves[name].append([100 * row["metrics"][name]["value"] for row in result["rows"]])
        means = {name: np.mean(curves[name], 0) for name in names}
        swing[label] = {name: np.ptp(means[name]) for name in names}
        for i, ratio in enumerate(ratios):
            rows.append([EITHER[label], f"{ratio:g}", *(f"{means[name][i]:.2f}" for name in names)])
        rows.append([EITHER[label], "**range**", *(f"**{swing[label][name]:.2f}**" for name in names)])
    verdicts = [f"{EITHER[label]}: {'yes' if s['overall_acc'] > 2 * max(s[n] for n in names[1:]) else 'no'}"
                for label, s in swing.items()]
    header = ["", "new : base, of the natural ratio", "OverallAcc", "OpenworldAUC", "AUROC", "HM"]
    return table(header, rows), "; ".join(verdicts)


def thin(out, label, dataset, side, to):
    """A run whose test images of one side are a fifth, class by class, the same ones in all runs."""
    for folder in sorted((out / label / dataset).glob("seed-*")):
        target = to / label / dataset / folder.name
        target.mkdir(parents=True, exist_ok=True)
        for name in ("run.json", "result.json"):
            shutil.copy(folder / name, target / name)
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
    labels = ("zero-shot", "coop", "decoop", "gmop")
    rows, verdicts = [], {}
    for name, side in (("base 5 : 1 new", 1), ("base 1 : 5 new", 0)):
        root = results.out / "thinned" / str(side)
        for label in labels:
            for dataset in CLUTTERED:
                thin(results.out, label, dataset, side, root)
        values, differences = results.compare(labels, "gmop", CLUTTERED, root)
        for label in labels:
            own = differences.get(label, {}).get("openworld_auc")
            rows.append([name, METHODS[label], plus_minus(values[label]["openworld_auc"]),
                         signed(turned(own)) if own else "", verdict(own, True) if own else ""])
    shutil.rmtree(results.out / "thinned")
    return table(["", "", "OpenworldAUC", "GMoP minus it", "GMoP is better"], rows)


def sweep(results, labels, reference, header):
    """Variants of GMoP beside the default."""
    values, differences = results.compare(list(labels), reference, CLUTTERED, metrics="openworld_auc,auroc,base_acc")
    rows = []
    for label, title in labels.items():
        own = differences.get(label, {}).get("openworld_auc")
        rows.append([title, *(plus_minus(values[label][m]) for m in ("openworld_auc", "auroc", "base_acc")),
                     signed(own) if own else "the default",
                     "" if not own else ("differs" if excludes_zero(own) else "no difference found")])
    return table([header, "OpenworldAUC", "AUROC", "BaseAcc", "minus the default", ""], rows)


def shots_table(results):
    rows = []
    for shots in SHOTS:
        names = [m if shots == 16 else f"{m}-shots{shots}" for m in ("coop", "gmop")]
        values, differences = results.compare(["zero-shot", *names], names[1], CLUTTERED)
        own = differences[names[0]]["openworld_auc"]
        zero = differences["zero-shot"]["openworld_auc"]
        rows.append([shots, *(plus_minus(values[n]["openworld_auc"]) for n in names), signed(turned(own)),
                     signed(turned(zero))])
    return table(["shots", "CoOp", "GMoP", "GMoP minus CoOp", "GMoP minus CLIP"], rows)


def cost_table(results):
    rows = []
    for label in EITHER:
        costs = [json.loads((results.out / label / "animals@cluttered" / f"seed-{s}" / "result.json").read_text())
                 for s in (1, 2, 3)]
        run = [c["cost"] for c in costs]
        rows.append([EITHER[label], costs[0]["parameters"], costs[0]["steps"],
                     f"{min(r['train_seconds'] for r in run):.1f}",
                     f"{1e6 * min(r['seconds_per_image'] for r in run):.1f}"])
    return table(["animals, 26 base classes", "learned parameters", "steps", "s of training",
                  "µs to score an image feature"], rows)


def page(program, out):
    results = Results(program, out)
    ratios, moves = ratio_table(results)
    return fill("gmop.md", {
        "room": room.table(program),
        "table 2": against_gmop(results, METHODS, "gmop", CLUTTERED),
        "from noise": against_gmop(results, FROM_NOISE, "gmop-noise", CLUTTERED),
        "from short noise": against_gmop(results, FROM_SHORT_NOISE, "gmop-noise-short", CLUTTERED),
        "by dataset": by_dataset(results),
        "at home": against_gmop(results, AT_HOME, "gmop-plain", PLAIN),
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
