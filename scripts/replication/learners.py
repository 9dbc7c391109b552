"""Do the sixteen learners work? All of them on the Doodles datasets with the pocket model, and their ranks beside those of
the OpenworldAUC and OpenPL papers."""

import dataclasses
import pathlib

import numpy as np

import papers
import ranks
from gmop import DATASETS, TUNE, Results, excludes_zero, plus_minus, signed
from page import fill, table

PAGE, SEEDS = "replication-learners.md", "1-5"
FLAGS = ("model", "methods", "datasets", "no_all", "epochs")
LEARNERS = {"zero-shot": "CLIP", "coop": "CoOp", "cocoop": "CoCoOp", "kgcoop": "KgCoOp", "prograd": "ProGrad",
            "locoop": "LoCoOp", "proda": "ProDA", "vpt": "VPT", "maple": "MaPLe", "promptsrc": "PromptSRC", "rpo": "RPO",
            "tcp": "TCP", "gallop": "GalLoP", "dept": "DePT-Kg", "decoop": "DeCoOp", "gmop": "GMoP"}
NOISE = {"coop-noise": "CoOp", "locoop-noise": "LoCoOp", "decoop-noise": "DeCoOp", "gmop-noise": "GMoP"}
METRICS = ("base_acc", "new_acc", "hm", "auroc", "openworld_auc", "overall_acc")
FAR = 4  # places that a method may be off before it is named
# What a paper ranks its methods by, and what that is here.
RANKINGS = (
    ("OpenworldAUC, Table 2", "openworld_auc",
     dict(zip(papers.OPENWORLD_TABLE_2, ranks.mean_ranks(ranks.ranks(np.transpose(list(papers.OPENWORLD_TABLE_2.values()))))))),
    ("OpenPL, Table 6 (emerging)", "overall_acc", {m: row["rank"] for m, row in papers.OPENPL["emerging"].items()}),
    ("OpenPL, Table 7 (varying ratio)", "overall_acc",
     {m: row["rank"] for m, row in papers.OPENPL["varying-ratio"].items()}),
)


@dataclasses.dataclass(frozen=True)
class Run:
    label: str
    dataset: str
    folder: pathlib.Path
    flags: tuple


def runs(out, model="pocket", methods=None, datasets=None, no_all=False, epochs=None):
    """A dataset of all methods after the other, `all` last, so that a page can be written early."""
    datasets = sorted(datasets or DATASETS, key=lambda name: name == "all")
    plan = []
    for dataset in datasets:
        if dataset == "all" and no_all:
            continue
        for label in methods or (*LEARNERS, *NOISE):
            # The epochs of a trial; zero-shot has none.
            flags = ("--epochs", epochs) if epochs and label != "zero-shot" else ()
            plan.append(Run(label, dataset, out / label / dataset, ("--model", model, *flags)))
    return plan


def command(run, program, seeds, threads):
    """What trains a run; the same command resumes it. tune-pocket takes the program from OPENWORLD_BIN."""
    return [TUNE, *run.flags[:2], run.label, run.dataset, run.folder, "--seeds", seeds, "--threads", threads,
            "--label", run.label, "--cache", run.folder.parents[1] / "features", *run.flags[2:]]


def finished(out):
    """(labels, datasets): every method that was begun, and the datasets on which all of them are finished."""
    known = [label for label in (*LEARNERS, *NOISE) if (out / label).is_dir()]
    def whole(label, dataset):
        seeds = list((out / label / dataset).glob("seed-*"))
        return seeds and all((seed / "result.json").exists() for seed in seeds)
    return known, [dataset for dataset in DATASETS if known and all(whole(label, dataset) for label in known)]


class Measured:
    """Values of all methods: averages with intervals, differences from zero-shot, and by dataset."""

    def __init__(self, program, out):
        self.labels, self.datasets = finished(out)
        self.seeds = sorted({int(folder.name.partition("-")[2]) for folder in out.glob("*/*/seed-*")})
        if "zero-shot" not in self.labels or not self.datasets:
            raise SystemExit(f"{out}: no dataset on which every method is finished, zero-shot among them")
        results = Results(program, out)
        self.values, self.differences = results.compare(self.labels, "zero-shot", self.datasets, metrics=",".join(METRICS))
        plain = results.openworld("eval", *[out / label / d for label in self.labels for d in self.datasets],
                                  "--metrics", ",".join(METRICS), "--ci", "none")
        self.by_dataset = {row["label"]: {name: [m["by_dataset"][f"doodles:{d}"]["value"] for d in self.datasets]
                                          for name, m in row["metrics"].items()} for row in plain["methods"]}

    def learners(self, among=LEARNERS):
        return [label for label in LEARNERS if label in self.labels and label in among]

    def ranked(self, metric, among=LEARNERS):
        """ranks[dataset][method] of the learners, those from noise left out."""
        return ranks.ranks(np.transpose([self.by_dataset[label][metric] for label in self.learners(among)]))


def rank_text(mean, interval):
    return f"{mean:.2f}" + (f" [{interval[0]:.1f}, {interval[1]:.1f}]" if interval else "")


def main_table(measured):
    learners = measured.learners()
    ranked = measured.ranked("openworld_auc")
    intervals = ranks.rank_intervals(ranked) or [None] * len(learners)
    rank_of = dict(zip(learners, zip(ranks.mean_ranks(ranked), intervals)))
    rows = []
    for label, title in {**LEARNERS, **{name: f"{title}, from noise" for name, title in NOISE.items()}}.items():
        if label not in measured.labels:
            continue
        own = measured.differences.get(label, {}).get("openworld_auc")
        rows.append([title, *(plus_minus(measured.values[label][m]) for m in METRICS), signed(own) if own else "",
                     rank_text(*rank_of[label]) if label in rank_of else ""])
    header = [f"{len(measured.datasets)} datasets", "BaseAcc", "NewAcc", "HM", "AUROC", "OpenworldAUC", "OverallAcc",
              "OpenworldAUC minus CLIP", "Friedman rank"]
    return table(header, rows)


def friedman_text(measured):
    ranked = measured.ranked("openworld_auc")
    test = ranks.friedman(ranked)
    if test is None:
        return "Friedman's test needs two datasets."
    distance = ranks.critical_distance(ranked.shape[1], ranked.shape[0])
    return (f"Friedman's test of the ranks: chi squared {test[0]:.1f}, {ranked.shape[1] - 1} degrees of freedom, p "
            f"{test[1]:.2g}. Two methods differ by Nemenyi's test at 5 % where their ranks are {distance:.1f} apart.")


def by_dataset_table(measured):
    learners = measured.learners()
    rows = []
    for i, dataset in enumerate(measured.datasets):
        cells = [100 * measured.by_dataset[label]["openworld_auc"][i] for label in learners]
        rows.append([dataset, *(f"**{c:.1f}**" if c == max(cells) else f"{c:.1f}" for c in cells)])
    return table(["", *(LEARNERS[label] for label in learners)], rows)


def paper_ranks(measured):
    """(a table for each ranking of a paper, a line of correlations for each)."""
    tables, lines = [], []
    for title, metric, paper in RANKINGS:
        common = measured.learners(paper)
        here = ranks.mean_ranks(measured.ranked(metric, paper))
        there = [paper[label] for label in common]
        rows = sorted(zip(there, ranks.order(there), here, ranks.order(here), common))
        name = {"openworld_auc": "OpenworldAUC", "overall_acc": "OverallAcc"}[metric]
        tables.append(f"**{title}**, beside ranks by {name} among the same methods:\n\n" + table(
            ["", "paper: mean rank", "place", "here: mean rank", "place"],
            [[LEARNERS[label], f"{a:.2f}", f"{b:g}", f"{c:.2f}", f"{d:g}"] for a, b, c, d, label in rows]))
        far = [f"{LEARNERS[label]} ({b:g}, here {d:g})" for _, b, _, d, label in rows if abs(b - d) >= FAR]
        tables.append(f"Places that differ by {FAR} or more: {', '.join(far) or 'none'}.\n")
        found = ranks.spearman(there, list(here))
        lines.append([title, len(common), f"{found[0]:+.2f}" if found else "", f"{found[1]:.2g}" if found else "",
                      agreement(found)])
    return "\n".join(tables), table(["ranking of", "methods", "Spearman's rho", "p", "agrees"], lines)


def agreement(found):
    if found is None or found[1] >= 0.05:
        return "not decided"
    return "yes" if found[0] > 0 else "no, the opposite"


def against_clip(measured):
    """Table 2: is the method better than zero-shot CLIP, there and here?"""
    clip = np.mean(papers.OPENWORLD_TABLE_2["zero-shot"])
    rows = []
    for label, values in papers.OPENWORLD_TABLE_2.items():
        own = measured.differences.get(label, {}).get("openworld_auc")
        if own is None:
            continue
        there = np.mean(values) - clip
        if excludes_zero(own):
            verdict = "agrees" if (there > 0) == (own["difference"] > 0) else "the opposite"
        else:
            verdict = "no difference found"
        rows.append([LEARNERS[label], f"{there:+.2f}", signed(own), verdict])
    return table(["OpenworldAUC minus CLIP", "paper", "here", ""], rows)


def page(program, out):
    measured = Measured(program, out)
    tables, correlations = paper_ranks(measured)
    return fill("learners.md", {
        "datasets": ", ".join(f"`{name}`" for name in measured.datasets),
        "seeds": f"seeds {measured.seeds[0]} to {measured.seeds[-1]}", "main": main_table(measured),
        "friedman": friedman_text(measured), "by dataset": by_dataset_table(measured), "correlations": correlations,
        "against clip": against_clip(measured), "ranks": tables})
