"""Errors of `tune`: one line that says what is wrong, before anything is written."""

import shutil

import pytest
from command import json_of, needs_models, refused, run
from tuning import TEST, call, write_place, write_squares, write_world

pytestmark = needs_models

OPTIONS = "there are weight, tokens, init, position, class_specific, epochs, batch, lr, schedule"


def short(value):
    """Of what a case has, what may stand in its name."""
    return value if isinstance(value, str) and " " not in value else ""


@pytest.mark.parametrize("method, values, says", [
    ("gmp", {"epochs": None}, 'no learner "gmp"; did you mean gmop? There are zero-shot, coop, '),
    ("zero-shot", {"epochs": 5}, "zero-shot is not trained and has no epochs"),
    ("kgcoop", {"options": {"weigth": 1}}, f'no option "weigth"; did you mean weight? T{OPTIONS[1:]}'),
    ("coop", {"set": "tokens"}, 'an option is "tokens"; expected key=value'),
    ("coop", {"options": {"tokens": "x"}},
     'option tokens is "x"; expected an integer from 1 to 1024'),
    ("coop", {"options": {"tokens": 0}}, 'option tokens is "0"; expected an integer from 1'),
    ("coop", {"options": {"lr": "nan"}}, 'option lr is "nan"; expected a number from 0'),
    ("coop", {"options": {"drop_last": "yes"}},
     'option drop_last is "yes"; expected true or false'),
    ("gmop", {"options": {"gate": "soft"}},
     'option gate is "soft"; expected sigmoid, logit, zero_one or none'),
    ("decoop", {"options": {"margin": "wide"}},
     'option margin is "wide"; expected auto or a number from 0'),
    ("gmop", {"options": {"partitions": 4}},
     "option partitions is 4, with 3 base classes; expected 2 to 3"),
    ("locoop", {"options": {"top": 3}}, "option top is 3, with 3 base classes; expected fewer"),
    ("prograd", {"options": {"tokens": 2, "init": "a photo of a"}},
     "option init has 4 tokens; expected at most tokens, 2"),
    ("coop", {"options": {"class_specific": "true"}}, "which has no prompt for new names"),
    ("coop", {"options": {"tokens": 45}},
     'class "blue" takes 52 tokens with 45 of context; the model has room for 48'),
    ("zero-shot", {"templates": "select7"}, "there are 7 templates; expected one, or option ens"),
    ("coop", {"shots": -1}, "--shots: got '-1'; expected a whole number"),
    ("coop", {"shot_rule": "dassl"}, "--shot-rule: dassl not in {coop,decoop}"),
    ("coop", {"seeds": "2-1"}, "seeds are '2-1'; expected seeds such as 1-3 or 1,2,5"),
    ("coop", {"seeds": "1,"}, "seeds are '1,'"),
    ("coop", {"seeds": "1-10001"}, "seeds are '1-10001'"),
    ("coop", {"base": 7}, "base is '7'; expected all, half, or 1 to 6"),
    ("coop", {"model": "nowhere"}, "nowhere: cannot open: No such file or directory"),
    ("coop", {"data": "nowhere"}, "nowhere: does not exist"),
    ("coop", {"data": "world/train", "train_split": None},
     "world/train has no splits; draw test images from it with --test-fraction 0.5, or test_fraction=0.5, or name a "
     "dataset of them with --test-data"),
    ("coop", {"data": "world/train"}, 'world/train: has no splits, but the split "train" was'),
    ("coop", {"test_split": "val"}, 'world: has no split "val"; it has test, train'),
], ids=short)
def test_flags(place, folder, method, values, says):
    refused(*call(method, folder / "run", **values), cwd=place, says=["openworld tune: ", says])
    assert not (folder / "run").exists()


def test_few_images_of_a_class(place, folder):
    refused(*call("coop", folder / "run", shots=5), cwd=place,
            says=['world: class "green" has 4 training images; expected 5 or more, or shots 4 or allow-fewer'])
    assert not (folder / "run").exists()
    json_of(*call("coop", folder / "run", "--allow-fewer", shots=5), cwd=place)


def test_no_images_of_a_base_class(place, folder):
    write_world(folder / "w", train={"blue": 3, "green": 3})
    refused(*call("coop", folder / "run", "--allow-fewer", data=folder / "w"), cwd=place,
            says=['class "dark_red" has 0 training images; expected 2 or more'])
    assert not (folder / "run").exists()


def test_one_class(place, folder):
    write_world(folder / "w", train={"blue": 3}, test={"blue": 3})
    refused(*call("coop", folder / "run", data=folder / "w"), cwd=place,
            says=["w has 1 class; expected two or more"])
    assert not (folder / "run").exists()


@pytest.mark.parametrize("method, says", [
    ("zero-shot", 'text "a photo of a {} square whose name is'),
    ("coop", 'class "{} square whose name is longer than what the model reads" takes '),
    ("gmop", 'class "{} square whose name is longer than what the model reads" takes '),
], ids=short)
@pytest.mark.parametrize("colour", ["blue", "white"], ids=["base", "new"])
def test_a_name_that_does_not_fit(place, folder, method, says, colour):
    write_world(folder / "w")
    for split in ("train", "test"):
        old = folder / "w" / split / colour
        old.rename(f"{old}_square_whose_name_is_longer_than_what_the_model_reads")
    refused(*call(method, folder / "run", data=folder / "w"), cwd=place,
            says=[says.format(colour), "48"])
    assert not (folder / "run").exists()


def test_other_classes_in_testing(place, folder):
    test = write_squares(folder / "test", TEST, 100)
    words = call("coop", folder / "run", data="world/train", train_split=None, test_data=test)
    (test / "yellow").rename(test / "zebra")
    refused(*words, cwd=place,
            says=[f'{test}: class 5 is "yellow" in training and "zebra" in testing; expected the'])
    shutil.rmtree(test / "zebra")
    refused(*words, cwd=place, says=[f"{test}: 6 classes in training and 5 in testing"])
    assert not (folder / "run").exists()


@pytest.mark.parametrize("views", [0, 2])
def test_a_training_image_that_cannot_be_read(folder, views):
    write_place(folder)
    for image in (folder / "world" / "train" / "blue").iterdir():
        image.write_bytes(b"no image")
    ran = run(*call("coop", "run", views=views), cwd=folder)
    assert (ran.code, ran.out) == (2, "")
    last = ran.err.splitlines()[-1]
    assert last.startswith("openworld tune: ") and "blue/" in last and "not an image of a known" in last
    assert not (folder / "run" / "result.json").exists()


def test_a_loss_that_is_no_number(place, folder):
    refused(*call("coop", folder / "run", epochs=40, options={"lr": 1e6, "schedule": "constant"}),
            cwd=place, says=["the loss is ", "expected a number", "such as lr=100000"])
    assert not (folder / "run" / "result.json").exists()


def test_a_file_where_the_folder_should_be(place, folder):
    (folder / "run").write_text("notes")
    for out in (folder / "run", folder / "run" / "deeper"):
        refused(*call("coop", out), cwd=place, says=[f"[tune] {out}: ", "Not a directory"])
        refused(*call("coop", out, "--restart"), cwd=place, says=["Not a directory"])
    assert (folder / "run").read_text() == "notes"


def test_no_image_left_to_test(place, folder):
    refused(*call("coop", folder / "run", shots=0, base="all", test_split="train"), cwd=place,
            says=["every image is tuned on and none is left to test"])
    assert not (folder / "run").exists()


def test_a_seed_that_is_given_twice(place, folder):
    refused(*call("coop", folder / "run", seeds="1-2,2"), cwd=place, says=["seeds are", "1-2,2"])
    assert not (folder / "run").exists()


def test_too_few_classes_for_detectors(place, folder):
    line = refused(*call("gmop", folder / "run", base=1), cwd=place, says=["base class"])
    assert "2 to 1" not in line


def test_an_unreadable_training_image_takes_one_line(folder):
    write_place(folder)
    for image in (folder / "world" / "train" / "blue").iterdir():
        image.write_bytes(b"no image")
    refused(*call("coop", "run"), cwd=folder, says=["world/train/blue/", "is not an image"])
