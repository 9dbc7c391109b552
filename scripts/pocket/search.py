"""The parts of scripts/search-settings, which states the rule."""

import json
import os
import subprocess

from . import settings

RATES = (0.0005, 0.002, 0.008, 0.03)
MOST_EPOCHS = 20
NOISE = ("coop", "locoop", "decoop", "gmop")
DATASETS = ("instruments", "shapes", "body", "clothes", "food", "vehicles")
SEEDS = (11, 12)
PROGRAM = os.environ.get("OPENWORLD_BIN", str(settings.ROOT / "build" / "release" / "bin" / "openworld"))


def openworld_json(*words):
    done = subprocess.run([PROGRAM, *map(str, words), "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def searched_entries(learners):
    """{name: entry without a learning rate}, from the list of `openworld ls learners --json`."""
    entries, from_noise = {}, {}
    for learner in learners:
        name, published = learner["name"], {option["name"]: option["default"] for option in learner["options"]}
        if "epochs" not in published:
            entries[name] = {"learner": name, "options": {}}
            continue
        fixed = {"optimizer": "adam", "epochs": min(published["epochs"], MOST_EPOCHS)}
        words = {"init": "auto"} if "init" in published else {}
        if name == "prograd":
            words["tokens"] = 5
        entries[name] = {"learner": name, "options": {**words, **fixed}}
        if name in NOISE:
            from_noise[f"{name}-noise"] = {"learner": name, "options": fixed}
    return entries | from_noise


def with_rate(entry, rate):
    """An entry with a learning rate, before the epochs, as people read it."""
    options = dict(entry["options"])
    epochs = options.pop("epochs")
    return {"learner": entry["learner"], "options": {**options, "lr": rate, "epochs": epochs}}


def plan_of(entry, model, datasets=DATASETS, seeds=SEEDS, rates=RATES):
    """The study of a learner, in TOML: a method for each learning rate."""
    data = ", ".join(f'{{path = "doodles:{name}", test_split = "train"}}' for name in datasets)
    lines = [f"models = [{settings.toml_value(model)}]", f"data = [{data}]", f"seeds = {settings.toml_value(list(seeds))}",
             "learners = ["]
    for rate in rates:
        options = settings.toml_table(with_rate(entry, rate)["options"])
        lines.append(f'  {{name = "{entry["learner"]}", label = "{rate:g}", options = {options}}},')
    return "\n".join([*lines, "]", ""])


def trials_of(table):
    """[{lr, base_acc}] from the table of a study; base_acc is None where a run failed."""
    trials = []
    for row in table["methods"]:
        value = row["values"]["base_acc"]
        whole = value["done"] == value["cells"]
        trials.append({"lr": float(row["method"]), "base_acc": round(value["value"], 5) if whole else None})
    return sorted(trials, key=lambda trial: trial["lr"])


def best_of(trials):
    """The highest BaseAcc; of equal ones the smaller learning rate. None if every trial has a run that failed."""
    whole = [trial for trial in trials if trial["base_acc"] is not None]
    return max(whole, key=lambda trial: (trial["base_acc"], -trial["lr"]), default=None)


def search(name, entry, model, out, jobs):
    """(entry with the learning rate that was found and all trials, seconds that a run took on average)."""
    study, plan = out / name, out / f"{name}.toml"
    out.mkdir(parents=True, exist_ok=True)
    plan.write_text(plan_of(entry, model))
    # One thread each: two small runs side by side are faster than one on two threads.
    code = subprocess.run([PROGRAM, "study", "run", plan, "--out", study, "--jobs", str(jobs), "--threads", str(jobs),
                           "--quiet"], stdout=subprocess.DEVNULL).returncode
    if code not in (0, 1):  # 1: some cells failed, and the table says which
        raise SystemExit(code)
    table = openworld_json("study", "table", study, "--by", "metric", "--metric", "base_acc", "--ci", "none")["tables"][0]
    trials = trials_of(table)
    best = best_of(trials)
    if best is None:
        raise SystemExit(f"{study}: every trial has a run that failed; `openworld study status` says why")
    costs = [json.loads(file.read_text())["cost"]["seconds"] for file in study.glob("cells/*/cell.json")]
    return {**with_rate(entry, best["lr"]), "trials": trials}, sum(costs) / len(costs)
