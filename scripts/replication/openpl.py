"""Findings of "OpenPL: Realistic Evaluation of Prompt Learning for VLM in Open Environments" on Doodles with the pocket
model: its four scenarios with all sixteen learners."""

import json
import pathlib
import subprocess
import sys
import tomllib

import numpy as np

import papers
import ranks
from gmop import THEMES
from learners import LEARNERS
from page import fill, table

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pocket import settings  # noqa: E402

PAGE, SEEDS = "replication-openpl.md", "1-3"
FLAGS = ("model", "methods", "datasets", "scenarios", "epochs")
TITLES = {"emerging": "Emerging new classes (Table 6)", "varying-ratio": "Varying ratio of new classes (Table 7)",
          "shift": "Distribution shift (Table 8)", "co-evolution": "Co-evolution (Table 9)"}
LOOKS = ("redrawn", "chalk", "crayon", "cluttered")
CLASS_SCENARIOS, OTHERS = ("emerging", "varying-ratio"), ("shift", "co-evolution")
SOURCE = "animals"  # of co-evolution; the first dataset if it is not among them
BEST_FOUR = ("promptsrc", "proda", "tcp", "rpo")
EPOCHS = dict.fromkeys(OTHERS, 10)  # at most, as in the paper; they are tuned on all classes


def studies(out, seeds, model="pocket", methods=None, datasets=None, scenarios=None, epochs=None):
    """{scenario: its plan}."""
    datasets = datasets or THEMES
    source = SOURCE if SOURCE in datasets else datasets[0]
    targets = [f"{name}@chalk" for name in datasets if name != source]
    tables = {"emerging": {"name": "emerging"}, "varying-ratio": {"name": "varying-ratio"},
              "shift": {"name": "shift", "looks": list(LOOKS)},
              "co-evolution": {"name": "co-evolution", "targets": targets}}
    plans = {}
    for name in scenarios or tables:
        data = [f"doodles:{each}" for each in ([source] if name == "co-evolution" else datasets)]
        lines = [f'name = "openpl {name}"', f"models = [{settings.toml_value(model)}]",
                 f"data = {settings.toml_value(data)}", f"scenarios = [{settings.toml_table(tables[name])}]",
                 f"seeds = {settings.toml_value(seeds)}", "learners = ["]
        for method in methods or LEARNERS:
            lines.append(learner_line(method, epochs or EPOCHS.get(name)))
        plans[name] = "\n".join([*lines, "]", ""])
    return plans


def learner_line(method, epochs):
    entry = settings.read()["learners"][method]
    options = dict(entry["options"])
    if epochs and "epochs" in options:
        options["epochs"] = min(options["epochs"], epochs)
    learner = {"name": entry["learner"], "label": LEARNERS[method]}
    text = ", ".join(f"{key} = {settings.toml_value(value)}" for key, value in learner.items())
    return f"  {{{text}, options = {settings.toml_table(options)}}}," if options else f"  {{{text}}},"


def grouped(worlds):
    """{group: its worlds}. Looks of one dataset are one group, as they share training; with one source, targets are."""
    sources = {world.partition(" > ")[0] for world in worlds}
    groups = {}
    for world in worlds:
        groups.setdefault(world.partition(" > ")[0] if len(sources) > 1 else world, []).append(world)
    return groups


class Scenario:
    """All methods of a study that are complete: DRC metrics and accuracies in every world (a dataset, look or target)."""

    def __init__(self, program, study):
        drc, levels = (self.tables(program, study, by) for by in ("drc", "level"))
        titles = {title: name for name, title in LEARNERS.items()}

        def by_world(tables):
            return {each["dataset"]: {titles[row["method"]]: numbers(row) for row in each["methods"]} for each in tables
                    if each["dataset"] is not None}

        self.drc = by_world(drc)
        self.accuracies = {world: {method: [row[level] for level in row if level not in ("mean", "variance")]
                                   for method, row in methods.items()} for world, methods in by_world(levels).items()}
        self.methods = [name for name in LEARNERS
                        if all(world.get(name, {}).get("auc") is not None for world in self.drc.values())]
        if "zero-shot" not in self.methods:
            raise SystemExit(f"{study}: zero-shot is not complete")
        self.groups = grouped(self.drc)

    @staticmethod
    def tables(program, study, by):
        done = subprocess.run([program, "study", "table", study, "--by", by, "--metric", "overall_acc", "--ci", "none",
                               "--json"], check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["tables"]

    def by_group(self, method, column, minus=None):
        """A DRC metric in every group, or its difference from that of another method."""
        def value(world):
            return self.drc[world][method][column] - (self.drc[world][minus][column] if minus else 0)
        return [np.mean([value(world) for world in worlds]) for worlds in self.groups.values()]

    def mean(self, method, column):
        return float(np.mean([world[method][column] for world in self.drc.values()]))

    def delta(self, method, column="auc"):
        """(difference from zero-shot, half of its 95 % interval over groups)."""
        return ranks.student_interval(self.by_group(method, column, "zero-shot"))

    def ranked(self, among):
        """ranks[group][method] among these methods: of accuracies at the levels of every world, averaged over a group."""
        def of_world(world):
            return ranks.ranks(np.transpose([self.accuracies[world][method] for method in among])).mean(0)
        return np.array([np.mean([of_world(world) for world in worlds], 0) for worlds in self.groups.values()])

    def behind(self, method, other, among):
        """(rank of a method minus that of another among these, half of its 95 % interval over groups)."""
        ranked = self.ranked(among)
        return ranks.student_interval(ranked[:, among.index(method)] - ranked[:, among.index(other)])

    def places(self, among):
        """{method: (mean rank, place)}."""
        means = ranks.mean_ranks(self.ranked(among))
        return dict(zip(among, zip(means, ranks.order(means))))


def numbers(row):
    return {name: value["value"] for name, value in row["values"].items()}


def sign_of(pair):
    """+1 or -1 where the interval excludes 0, else 0."""
    value, half = pair
    return 0 if half is None or abs(value) <= half else int(np.sign(value))


def with_half(pair):
    value, half = pair
    return f"{value:+.3f}" + (f" ±{half:.3f}" if half is not None else "")


def scenario_table(name, scenario):
    paper = papers.OPENPL[name]
    ranked = scenario.ranked(scenario.methods)
    intervals = ranks.rank_intervals(ranked) or [None] * len(scenario.methods)
    common = [method for method in scenario.methods if method in paper]
    here, there = scenario.places(common), ranks.order([paper[method]["rank"] for method in common])
    there = dict(zip(common, there))
    rows = []
    for method, mean, interval in zip(scenario.methods, ranks.mean_ranks(ranked), intervals):
        pair = scenario.delta(method)
        in_paper = method in paper
        rows.append([
            LEARNERS[method], *(f"{scenario.mean(method, column):.3f}" for column in ("acc0", "auc", "wa", "evm", "vs")),
            *(["", ""] if method == "zero-shot" else [f"{scenario.mean(method, column):.3f}" for column in ("pa", "na")]),
            "" if method == "zero-shot" else with_half(pair),
            f"{mean:.2f}" + (f" [{interval[0]:.1f}, {interval[1]:.1f}]" if interval else ""),
            f"{here[method][1]:g}" if in_paper else "", f"{there[method]:g}" if in_paper else "",
            f"{paper[method]['delta_auc']:+.3f}" if in_paper and method != "zero-shot" else ""])
    return table(["", "Acc(0)", "AUC", "WA", "EVM", "VS", "PA", "NA", "delta_AUC", "Friedman rank", "place", "paper: place",
                  "paper: delta_AUC"], rows)


def correlation_row(name, scenario):
    paper = papers.OPENPL[name]
    common = [method for method in scenario.methods if method in paper]
    here = [scenario.places(common)[method][0] for method in common]
    found = ranks.spearman([paper[method]["rank"] for method in common], here)
    signs = {"agrees": 0, "the opposite": 0, "not decided": 0}
    for method in common:
        if method != "zero-shot":
            own, theirs = sign_of(scenario.delta(method)), np.sign(paper[method]["delta_pn"])
            signs["not decided" if own == 0 or theirs == 0 else "agrees" if own == theirs else "the opposite"] += 1
    return [TITLES[name], len(scenario.groups), f"{found[0]:+.2f}" if found else "", f"{found[1]:.2g}" if found else "",
            *signs.values()]


def judged(yes, no):
    return "yes" if yes else "no" if no else "not decided"


def last_row(name, scenario, method, among):
    """Is the method the least robust of these? No, if another one is behind it beyond chance."""
    places = scenario.places(among)
    worst = max(among, key=lambda each: places[each][0])
    behind = scenario.behind(worst, method, among)
    shown = f"{LEARNERS[worst]} is" if worst == method else f"{LEARNERS[worst]} is, by {with_half(behind)} ranks"
    return [name, f"{LEARNERS[method]} is the least robust learner", shown, judged(worst == method, sign_of(behind) > 0)]


def small_row(name, scenario, among):
    """Are differences from zero-shot at most as large as the largest of the paper?"""
    limit = max(abs(row["delta_auc"]) for method, row in papers.OPENPL[name].items() if method != "zero-shot")
    largest = max(among, key=lambda method: abs(scenario.delta(method)[0]))
    value, half = scenario.delta(largest)
    return [name, f"learners differ little from zero-shot (delta_AUC at most {limit:.3f})",
            f"{LEARNERS[largest]} {with_half((value, half))}",
            judged(abs(value) + (half or 0) <= limit, abs(value) - (half or 0) > limit)]


def finding_rows(found):
    """Findings of sections 5.1 to 5.5 that can be tested with the scenarios that are there."""
    rows = []
    for name, scenario in found.items():
        paper = [method for method in papers.OPENPL[name] if method in scenario.methods and method != "zero-shot"]
        if len(paper) < 2:
            continue
        places = scenario.places(paper)
        best = sorted(paper, key=lambda method: places[method][0])
        if name in CLASS_SCENARIOS and "coop" in paper:
            rows.append(last_row(name, scenario, "coop", paper))
        if name in CLASS_SCENARIOS and set(BEST_FOUR) <= set(paper):
            both = [LEARNERS[m] for m in best[:4] if m in BEST_FOUR]
            rows.append([name, "PromptSRC, ProDA, TCP and RPO are the most robust",
                         f"of the first four: {', '.join(both) or 'none'}", judged(len(both) == 4, len(both) < 2)])
        if name in CLASS_SCENARIOS:
            winners = [max(scenario.methods, key=lambda m: scenario.drc[world][m]["auc"]) for world in scenario.drc]
            rows.append([name, "no method is best on every dataset",
                         f"{len(set(winners))} methods are best by AUC on some of {len(winners)}",
                         judged(len(set(winners)) > 1, True)])
        if name in OTHERS and "vpt" in paper:
            rows.append(last_row(name, scenario, "vpt", paper))
        if name in OTHERS and {"coop", "cocoop", "tcp", "rpo"} <= set(paper):
            above = min(places["tcp"][0], places["rpo"][0]) - max(places["coop"][0], places["cocoop"][0])
            below = min(places["coop"][0], places["cocoop"][0]) - max(places["tcp"][0], places["rpo"][0])
            rows.append([name, "CoOp and CoCoOp are ahead of TCP and RPO",
                         "ranks " + ", ".join(f"{LEARNERS[m]} {places[m][0]:.1f}" for m in ("coop", "cocoop", "tcp", "rpo")),
                         judged(above > 0, below > 0)])
        if name == "shift":
            flatter = [LEARNERS[m] for m in paper if sign_of(scenario.delta(m, "evm")) < 0]
            rows.append([name, "no learner makes the decline smaller (EVM)",
                         f"smaller than CLIP's: {', '.join(flatter) or 'none'}", judged(not flatter, True)])
        if name in OTHERS:
            rows.append(small_row(name, scenario, paper))
    return rows


def themes_in(plan):
    return [path.partition(":")[2] for path in plan["data"]]


def datasets_of(plans):
    """The datasets of all plans but those of co-evolution, whose data is its source."""
    names = [name for scenario, plan in plans.items() if scenario != "co-evolution" for name in themes_in(plan)]
    return list(dict.fromkeys(names)) or themes_in(plans["co-evolution"])


def most_epochs(plans):
    """Of any learner in shift and co-evolution."""
    return max((learner.get("options", {}).get("epochs", 0) for name in OTHERS if name in plans
                for learner in plans[name]["learners"]), default=EPOCHS[OTHERS[0]])


def page(program, out):
    found = {name: Scenario(program, out / name) for name in TITLES if (out / name / "study.json").exists()}
    if not found:
        raise SystemExit(f"{out}: no study")
    tables = "\n".join(f"### {TITLES[name]}\n\n{scenario_table(name, scenario)}" for name, scenario in found.items())
    plans = {name: tomllib.loads((out / f"{name}.toml").read_text()) for name in found}
    seeds = {str(plan["seeds"]) for plan in plans.values()}
    return fill("openpl.md", {
        "seeds": f"seeds {' and '.join(sorted(seeds)).replace('-', ' to ')}",
        "datasets": "datasets: " + ", ".join(f"`{name}`" for name in datasets_of(plans)),
        "source": f"`{themes_in(plans['co-evolution'])[0]}`" if "co-evolution" in plans else "one of them",
        "epochs": most_epochs(plans),
        "correlations": table(["scenario", "datasets", "Spearman's rho of ranks", "p", "signs that agree", "the opposite",
                               "not decided"], [correlation_row(*each) for each in found.items()]),
        "findings": table(["scenario", "finding of the paper", "here", "holds"], finding_rows(found)),
        "tables": tables})
