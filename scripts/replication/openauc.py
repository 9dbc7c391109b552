"""Claims of Wang et al., "OpenAUC", NeurIPS 2022, on MNIST and CIFAR-10, five published splits each.

Networks on images (`small`, and `vgg32` if asked for) and an MLP on features of the pocket model. All methods have
their published settings but the number of epochs, which is the same for all of a network. What cannot be had (SVHN,
CIFAR+N, TinyImageNet, CUB) is left out. On features the weight of OpenAUC's pair loss is varied too.
"""

import dataclasses
import itertools
import math
import pathlib
import subprocess
import threading

import numpy as np

import openauc_results
from openauc_results import METRICS, SCORES
from page import fill
from page import table as markdown

PAGE, SEEDS = "replication-openauc.md", "1"
FLAGS = ("nets", "methods", "datasets", "splits", "epochs")
DATASETS, SPLITS = ("mnist", "cifar10"), range(5)
METHODS = {"softmax": "Softmax", "gcpl": "GCPL", "rpl": "RPL", "arpl": "ARPL", "arpl-cs": "ARPL+CS", "ce-plus": "CE+",
           "arpl-plus": "ARPL+", "openauc": "OpenAUC"}
RAND_M = {"mnist": 8, "cifar10": 6}  # as Vaze et al. tuned it
STRONG = ("ce-plus", "arpl-plus", "openauc")
ENCODING = threading.Lock()
EPOCHS = {"small": 20, "vgg32": 10, "mlp": 20}
WEIGHTS = ("0", "0.003", "0.01", "0.03", "0.3")  # of the pair loss, beside the default of 0.1
# Methods that are published with a learning rate of 0.1 for images of 32 pixels; features are standardised and need less.
FEATURE_FLAGS = ("--set", "lr=0.01")


@dataclasses.dataclass(frozen=True)
class Run:
    label: str  # of the page: network and method
    dataset: str
    folder: pathlib.Path
    net: str
    method: str
    epochs: int
    flags: tuple = ()


def weighted(weight):
    """The name of OpenAUC with another weight of its pair loss."""
    return f"openauc-weight-{weight}"


def runs(out, nets=("mlp", "small"), epochs=None, methods=tuple(METHODS), splits=SPLITS, datasets=DATASETS):
    """Cheap ones first, and of a network one split of all methods after the other, so that a page can be written early."""
    plan = []
    for net, split, dataset in itertools.product(nets, splits, datasets):
        # ARPL+CS generates images; on features the weight of the pair loss is cheap to vary.
        named = {method: (method, ()) for method in methods if (method, net) != ("arpl-cs", "mlp")}
        if net == "mlp" and "openauc" in methods:
            named |= {weighted(weight): ("openauc", ("--set", f"open_weight={weight}")) for weight in WEIGHTS}
        length = epochs or EPOCHS[net]
        for name, (method, flags) in named.items():
            plan.append(Run(f"{net} {name}", f"{dataset}:{split}", out / f"{net}-{length}" / name / f"{dataset}-{split}",
                            net, method, length, flags))
    return plan


def features(program, out, dataset):
    """Files of features of the pocket model; made once, by the first job that needs them."""
    files = {part: out / "features" / f"{dataset}-{part}.npz" for part in ("train", "test")}
    with ENCODING:
        for part, path in files.items():
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([program, "encode", "--model", "pocket", "--data", dataset, "--split", part, "--out", path],
                           check=True, capture_output=True)
    return files


def command(run, program, seeds, threads):
    """What trains a run; the same command resumes it."""
    dataset = run.dataset.partition(":")[0]
    words = [program, "osr", "train", "--method", run.method, "--net", run.net, "--epochs", run.epochs, "--seeds", seeds,
             "--threads", threads, "--out", run.folder, "--split", run.dataset, *run.flags]
    if run.net in ("linear", "mlp"):
        files = features(program, run.folder.parents[2], dataset)
        words += ["--data", files["train"], "--test-data", files["test"], *FEATURE_FLAGS]
    elif run.method in STRONG:
        words += ["--set", f"rand_m={RAND_M[dataset]}"]
    return words


# 97.5 % points of Student's t with 1 to 30 degrees of freedom.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
     2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def mean_interval(values):
    """Mean and half of its 95 % interval, by Student's t; None for the half of a single value."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return float(values.mean()), None
    return float(values.mean()), T[min(len(values) - 1, 30) - 1] * float(values.std(ddof=1)) / math.sqrt(len(values))


def shown(pair, sign=False):
    value, half = pair
    text = f"{value:+.2f}" if sign else f"{value:.2f}"
    return text if half is None else f"{text} ±{half:.2f}"


def settings(results):
    return results.settings(tuple(EPOCHS), DATASETS)


def titled(setting):
    """The first cells of a row."""
    return [setting.net, setting.dataset, str(setting.epochs)]


def main_table(results, setting):
    rows = []
    for method, splits in results.table(setting, METHODS).items():
        rows.append([METHODS[method], str(len(splits)),
                     *(shown(mean_interval([value[metric] for value in splits.values()])) for metric in METRICS)])
    return markdown(["method", "splits", *METRICS], rows)


def paired(results, setting, method, other, metric):
    """Differences by split that both have."""
    table = results.table(setting, (method, other))
    both = sorted(set(table.get(method, {})) & set(table.get(other, {})))
    return [table[method][split][metric] - table[other][split][metric] for split in both]


def verdict(pair):
    value, half = pair
    if half is None or abs(value) <= half:
        return "not decided"
    return "yes" if value > 0 else "no, the opposite"


def first_claim(results):
    rows = []
    for setting in settings(results):
        open_auc = paired(results, setting, "openauc", "ce-plus", "OpenAUC")
        if not open_auc:
            continue
        accuracy = mean_interval(paired(results, setting, "openauc", "ce-plus", "ACC"))
        difference = mean_interval(open_auc)
        rows.append([*titled(setting), str(len(open_auc)), shown(accuracy, True), shown(difference, True), verdict(difference)])
    return markdown(["net", "data", "epochs", "splits", "ACC, difference", "OpenAUC, difference", "OpenAUC beats CE+"], rows)


def rank_correlation(a, b):
    """Kendall's tau of two lists without ties."""
    pairs = list(itertools.combinations(range(len(a)), 2))
    agree = [np.sign(a[i] - a[j]) * np.sign(b[i] - b[j]) for i, j in pairs]
    return float(np.mean(agree))


def second_claim(results):
    """Pairs of methods that AUROC and OpenAUC order differently, with intervals that exclude 0 for both."""
    rows = []
    for setting in settings(results):
        table = results.table(setting, METHODS)
        methods = [method for method in table if len(table[method]) >= 2]
        if len(methods) < 3:
            continue
        means = {metric: [mean_interval([v[metric] for v in table[m].values()])[0] for m in methods]
                 for metric in ("AUROC", "OpenAUC")}
        swapped, clear = [], []
        for i, j in itertools.combinations(range(len(methods)), 2):
            if (means["AUROC"][i] - means["AUROC"][j]) * (means["OpenAUC"][i] - means["OpenAUC"][j]) >= 0:
                continue
            name = f"{METHODS[methods[i]]} and {METHODS[methods[j]]}"
            swapped.append(name)
            pairs = [mean_interval(paired(results, setting, methods[i], methods[j], m)) for m in means]
            if all(half is not None and abs(value) > half for value, half in pairs):
                clear.append(name)
        tau = rank_correlation(means["AUROC"], means["OpenAUC"])
        rows.append([*titled(setting), str(len(methods)), f"{tau:.2f}",
                     f"{len(swapped)} of {len(methods) * (len(methods) - 1) // 2}",
                     ", ".join(clear) or "none",
                     "yes" if clear else "not decided" if swapped else "no"])
    return markdown(["net", "data", "epochs", "methods", "Kendall's tau", "pairs ordered differently",
                     "of these with clear differences", "ranked differently"], rows)


def correlation_interval(x, y):
    """Pearson's r with Fisher's 95 % interval."""
    r = float(np.corrcoef(x, y)[0, 1])
    if len(x) < 4 or abs(r) >= 1:
        return r, None
    z, half = math.atanh(r), 1.959964 / math.sqrt(len(x) - 3)
    return r, (math.tanh(z - half), math.tanh(z + half))


def third_claim(results):
    """Over methods and splits, each split around its own mean: splits differ in how hard they are."""
    rows = []
    for setting in settings(results):
        table = results.table(setting, METHODS)
        splits = sorted(set.intersection(*(set(of) for of in table.values()))) if table else []
        if not splits or len(table) < 3:
            continue
        x, y = (np.array([[table[m][s][metric] for m in table] for s in splits]) for metric in ("ACC", "AUROC"))
        x, y = (values - values.mean(1, keepdims=True) for values in (x, y))
        r, interval = correlation_interval(x.ravel(), y.ravel())
        decided = interval is not None and interval[0] * interval[1] > 0
        rows.append([*titled(setting), str(x.size), f"{r:.2f}",
                     "" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}",
                     ("yes" if r > 0 else "no, the opposite") if decided else "not decided"])
    return markdown(["net", "data", "epochs", "values", "r", "95 % interval", "correlated"], rows)


def weight_table(results):
    """OpenAUC on features with other weights of its pair loss, over the splits that all have."""
    rows, names = [], {float(weight): weighted(weight) for weight in WEIGHTS} | {0.1: "openauc"}
    for setting in settings(results):
        table = results.table(setting, names.values())
        splits = sorted(set.intersection(*(set(of) for of in table.values()))) if len(table) == len(names) else []
        for weight, name in sorted(names.items()) if splits else ():
            values = {metric: [table[name][split][metric] for split in splits]
                      for metric in ("ACC", "AUROC", "OpenAUC", *SCORES)}
            rows.append([*titled(setting), f"{weight:g}", str(len(splits)),
                         *(shown(mean_interval(values[metric])) for metric in ("ACC", "AUROC", "OpenAUC")),
                         *(f"{np.mean(values[score]):.1f}" for score in SCORES)])
    return markdown(["net", "data", "epochs", "weight", "splits", "ACC", "AUROC", "OpenAUC", "largest logit, known", "unknown"],
                    rows)


def run_so_far(results):
    """A sentence on what the tables have, and which networks are missing."""
    done = [f"`{one.net}` on {one.dataset} ({one.epochs} epochs, {len(results.table(one, METHODS))} methods)"
            for one in settings(results)]
    missing = [f"`{net}`" for net in EPOCHS if not any(one.net == net for one in settings(results))]
    return f"Run so far: {', '.join(done)}; " + (f"not run yet: {' and '.join(missing)}." if missing else "all networks.")


def page(program, out, ledger=openauc_results.LEDGER):
    """From the runs in `out` and those of the ledger, to which they are added."""
    rows = openauc_results.read_ledger(ledger) | openauc_results.measure_all(program, out)
    if not rows:
        raise SystemExit(f"{out}: no finished run")
    openauc_results.write_ledger(ledger, rows)
    results = openauc_results.Results(openauc_results.read_ledger(ledger))
    tables = "\n".join(f"### {one.net} on {one.dataset}, {one.epochs} epochs\n\n{main_table(results, one)}"
                       for one in settings(results))
    return fill("openauc.md", {"runs": run_so_far(results), "tables": tables, "first": first_claim(results), "weights": weight_table(results),
                               "second": second_claim(results), "third": third_claim(results)})
