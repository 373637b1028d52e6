"""models.py places every kind of model as Kindred does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kindred_clustering import Kindred, models
from kindred_clustering._node import HERE, node_path

METHODS = [
    "auto", "mixed", "kmeans", "k-medoids", "spherical-kmeans", "gmm", "spectral", "ncut", "ward", "average", "complete",
    "single", "hdbscan", "divisive", "cc", "carp", "rcc", "scc", "biclusters", "cpd-uml", "aml", "naml", "rpca-om", "fme",
    "kernel-kmeans", "bregman-kmeans+pairs", "hints+pairs", "cop-kmeans+pairs", "pck-means+pairs", "mpck-means+pairs",
    "lcvqe+pairs", "ccml+pairs", "ccscml+pairs", "seeded-kmeans+labels",
]  # fmt: skip
KINDS = {"centers", "rows", "mixture", "mixed", "kernel-kmeans", "cpd-uml", "density"}
REAL = Path(os.environ.get("KINDRED_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "real"


def fitted(path, rows, methods):
    script = (Path(__file__).parent / "models.mjs").read_text()
    # A script of the command line finds the library from the folder it runs in.
    command = [node_path(), "--input-type=module", "-e", script, "--", str(path), str(rows), *methods]
    answer = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def compare(columns, fit):
    """The rows that are placed elsewhere; and whether what is told of the others is the same."""
    placed = models.place(fit["model"], columns)
    expected = {name: np.array([np.inf if value is None else value for value in values]) for name, values in fit["placed"].items()}
    other = placed["labels"] != expected["labels"]
    for name in ("distances", "next_distances"):
        assert np.allclose(placed[name][~other], expected[name][~other], rtol=1e-6, atol=1e-6), (fit["name"], name)
    return int(other.sum())


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "customers.csv"
    command = [sys.executable, "-m", "kindred_clustering", "data", "customers", "--rows", "150"]
    path.write_text(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return fitted(path, 150, METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_on_a_table_with_gaps_and_categories(example, name):
    fit = next(fit for fit in example["fits"] if fit["name"] == name)
    assert "error" not in fit, fit
    assert compare(example["columns"], fit) == 0


def test_every_kind_of_rule_was_placed(example):
    assert {fit["model"]["placing"]["kind"] for fit in example["fits"]} == KINDS


@pytest.mark.skipif(not REAL.exists(), reason="needs the real tables")
@pytest.mark.parametrize("path", sorted(path for path in REAL.glob("*.*") if path.suffix in (".csv", ".json", ".xlsx") and path.name != "index.json"), ids=lambda path: path.name)
def test_real_tables(path):
    answer = fitted(path, 300, os.environ.get("KINDRED_MODELS", "kmeans,mixed,hdbscan,ward,gmm").split(","))
    # A method may refuse a table; what it fits is placed.
    placed = [fit for fit in answer["fits"] if "error" not in fit]
    assert len(placed) >= len(answer["fits"]) / 2, answer["fits"]
    for fit in placed:
        assert compare(answer["columns"], fit) == 0, fit["name"]


def test_the_file_alone_labels_a_csv(tmp_path):
    rows = [(1, 2), (1, 4), (1, 0), (10, 2), (10, 4), (10, 0)]
    model = Kindred(2, method="kmeans").fit({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    model.save(tmp_path / "model.json")
    (tmp_path / "rows.csv").write_text("b,a\n" + "".join(f"{b},{a}\n" for a, b in rows))
    (tmp_path / "models.py").write_text(Path(models.__file__).read_text())
    command = [sys.executable, "models.py", "model.json", "rows.csv"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [int(line) for line in answer.stdout.split()] == model.labels_.tolist()


def test_frames_dates_and_words():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(
        {
            "joined": pd.date_range("2024-01-01", periods=60, freq="9D"),
            "newsletter": [True, False, None] * 20,
            "note": ["the coffee is sour and bright", "a sweet heavy body", "bitter and dark roast", None] * 15,
            "size": pd.Categorical(["low", "mid", "high"] * 20, ["low", "mid", "high"], ordered=True),
            "place": [[0.0, 1, 2], [5, 5, 5], None] * 20,
        }
    )
    model = Kindred(3, method="kmeans", options={"as": {"note": "text"}, "text": ["note"]}).fit(table)
    assert (models.place(model.model_, table)["labels"] == model.labels_).all()
    gaps = Kindred(2, method="kmeans", options={"missing": "drop", "use": ["newsletter", "size"], "weights": "equal"}).fit(table)
    assert (models.place(gaps.model_, table)["labels"] == gaps.labels_).all() and (gaps.labels_ == -1).sum() == 20


def test_what_is_not_placed_is_refused():
    with pytest.raises(ValueError, match="no model"):
        models.place({"kind": "metric"}, {})
