import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kindred_clustering import Kindred, KindredError
from kindred_clustering._node import node

pd = pytest.importorskip("pandas")


# Other processes find the package where this one does.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path)}


def customers(rows=120):
    """Three groups that every column tells apart, with a gap and an id."""
    group = np.arange(rows) % 3
    noise = np.random.default_rng(1).normal(size=rows)
    table = pd.DataFrame(
        {
            "id": [f"C-{1000 + i}" for i in range(rows)],
            "plan": np.array(["free", "pro", "business"])[group],
            "spend": np.array([9.0, 60.0, 400.0])[group] * np.exp(0.1 * noise),
            "visits": (np.array([3, 20, 8])[group] + np.round(noise)).astype("int64"),
            "joined": pd.Timestamp("2024-01-01") + pd.to_timedelta(200 * group + np.round(9 * noise), unit="D"),
            "newsletter": group == 1,
        }
    )
    table.loc[5, "spend"] = np.nan
    return table, group


def blobs(seed=0, rows=60):
    random = np.random.default_rng(seed)
    group = np.arange(rows) % 3
    return random.normal(size=(rows, 4)) * 0.3 + np.eye(4)[group] * 5, group


def test_groups_of_a_frame_with_mixed_columns():
    table, group = customers()
    model = Kindred().fit(table)
    assert adjusted_rand_score(group, model.labels_) == 1
    assert model.n_clusters_ == 3 and len(model.names_) == 3
    assert model.trust_["word"] in ("clear", "doubtful", "weak")
    assert sum(profile["rows"] for profile in model.profiles_) == 120
    assert abs(sum(model.relevance_.values()) - 1) < 1e-9
    assert any("filled" in note for note in model.notes_)
    assert (model.predict(table) == model.labels_).all()
    assert model.explain().startswith("3 clusters")
    assert "<table" in model._repr_html_() and "<table" in model._repr_mimebundle_()["text/html"]


def test_a_csv_and_a_frame_give_the_command_s_labels(tmp_path):
    table, _ = customers()
    table.to_csv(tmp_path / "customers.csv", index=False)
    command = [sys.executable, "-m", "kindred_clustering", "cluster", "customers.csv", "-m", "kmeans", "-k", "3", "--json"]
    answer = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    labels = json.loads(answer.stdout)["labels"]
    assert adjusted_rand_score(labels, Kindred(3, method="kmeans").fit_predict(table)) == 1


@pytest.mark.parametrize("library", ["polars", "pyarrow", "dict"])
def test_other_tables_are_the_same_rows(library):
    table, _ = customers()
    expected = Kindred(3, method="kmeans").fit(table)
    if library == "polars":
        other = pytest.importorskip("polars").from_dict({name: table[name].to_list() for name in table})
    elif library == "pyarrow":
        other = pytest.importorskip("pyarrow").Table.from_pandas(table)
    else:
        other = {name: table[name].to_list() for name in table}
    model = Kindred(3, method="kmeans").fit(other)
    assert (model.labels_ == expected.labels_).all()
    assert model.relevance_ == pytest.approx(expected.relevance_)


def test_every_type_of_column_arrives():
    from datetime import date
    from decimal import Decimal

    table = pd.DataFrame(
        {
            "float32": np.array([1.5, 2.5] * 10, "float32"),
            "nullable": pd.array([1, None] * 10, "Int64"),
            "ordered": pd.Categorical(["low", "high"] * 10, ["low", "mid", "high"], ordered=True),
            "levels": pd.Categorical([1, 2] * 10),
            "bools": pd.array([True, None] * 10, "boolean"),
            "when": pd.date_range("2024-01-01", periods=20, tz="Europe/Berlin"),
            "day": [date(2024, 1, 1), date(2025, 6, 1)] * 10,
            "money": [Decimal("9.5"), None, Decimal("4"), None] * 5,
            "wait": pd.to_timedelta([1, 90] * 10, unit="h"),
            "vector": [np.array([0.0, 1, 2]), np.array([5.0, 6, 7])] * 10,
        }
    )
    columns = {one["name"]: one for one in Kindred(2).fit(table).model_["columns"]}
    kinds = {name: one["kind"] for name, one in columns.items()}
    assert kinds["float32"] == kinds["money"] == kinds["wait"] == "number"
    assert kinds["ordered"] == "ordered" and columns["ordered"]["reading"]["levels"] == ["low", "mid", "high"]
    assert kinds["levels"] == "category" and kinds["when"] == kinds["day"] == "date" and kinds["vector"] == "vector"


def test_options_say_how_columns_are_read():
    table, _ = customers()
    model = Kindred(3, options={"as": {"visits": "category"}, "ignore": ["joined"]}).fit(table)
    kinds = {one["name"]: one["kind"] for one in model.model_["columns"]}
    assert kinds["visits"] == "category" and "joined" not in model.relevance_


def test_memory_in_any_order_gives_the_same_rows():
    X, _ = blobs()
    expected = Kindred(3, method="kmeans").fit_predict(X)
    wide = np.zeros((X.shape[0], 8))
    wide[:, ::2] = X
    for same in (np.asfortranarray(X), wide[:, ::2], X.astype(">f8"), X.tolist()):
        assert (Kindred(3, method="kmeans").fit_predict(same) == expected).all()


def test_contract_clone_pipeline_pickle():
    X, group = blobs()
    model = Kindred(3, method="kmeans", random_state=7, options={"restarts": 3})
    assert clone(model).get_params() == model.get_params()
    pipeline = make_pipeline(StandardScaler(), model).fit(X)
    assert adjusted_rand_score(group, pipeline.predict(X)) == 1
    copy = pickle.loads(pickle.dumps(pipeline))
    assert (copy.predict(X) == pipeline.predict(X)).all()
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_a_pickle_works_in_another_process(tmp_path):
    X, _ = blobs()
    model = Kindred(3, method="kmeans").fit(X)
    (tmp_path / "model").write_bytes(pickle.dumps((model, X)))
    code = "import pickle; m, X = pickle.load(open('model', 'rb')); print(m.predict(X).tolist() == m.labels_.tolist())"
    answer = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert answer.stdout.strip() == "True", answer.stderr


def test_a_saved_model_is_read_again(tmp_path):
    table, _ = customers()
    model = Kindred(3).fit(table)
    model.save(tmp_path / "model.json")
    again = Kindred.load(tmp_path / "model.json")
    assert (again.predict(table) == model.labels_).all() and (again.labels_ == model.labels_).all()


def test_threads_take_turns():
    sets = [blobs(seed) for seed in range(8)]
    alone = [Kindred(3, method="kmeans").fit_predict(X) for X, _ in sets]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda one: Kindred(3, method="kmeans").fit_predict(one[0]), sets))
    assert all((a == b).all() for a, b in zip(alone, together))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_process_starts_its_own_node():
    X, _ = blobs()
    expected = Kindred(3, method="kmeans").fit_predict(X)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            same = (Kindred(3, method="kmeans").fit_predict(X) == expected).all()
            os.write(writing, b"1" if same else b"0")
            node.stop()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 1) == b"1"
    assert (Kindred(3, method="kmeans").fit_predict(X) == expected).all()


def test_a_process_that_ends_is_told_and_started_again():
    X, _ = blobs()
    model = Kindred(3, method="kmeans").fit(X)
    node._process.kill()
    node._process.wait()
    # The new process does not know the model, and gets it again.
    assert (model.predict(X) == model.labels_).all()


def test_hints_pairs_and_partial_labels():
    random = np.random.default_rng(3)
    batch, kind = np.arange(80) % 2, np.arange(80) // 2 % 2
    X = np.c_[batch * 9 + random.normal(size=80), kind * 4 + random.normal(size=80) * 0.3]
    y = np.where(np.arange(80) < 16, kind, -1)
    learned = Kindred(2).fit(X, y)
    assert learned.method_ == "hints"
    assert adjusted_rand_score(kind, learned.labels_) > 0.9
    rows = range(16)
    pairs = [(a, b) for a in rows for b in rows if a < b]
    same = [pair for pair in pairs if kind[pair[0]] == kind[pair[1]]][:12]
    different = [pair for pair in pairs if kind[pair[0]] != kind[pair[1]]][:12]
    linked = Kindred(2).fit(X, must_link=same, cannot_link=np.array(different))
    assert adjusted_rand_score(kind, linked.labels_) > 0.9
    listed = [(a, b, "same") for a, b in same] + [(a, b, "different") for a, b in different]
    text = "a,b,hint\n" + "".join(f"{a},{b},{word}\n" for a, b, word in listed)
    assert (Kindred(2, hints=listed).fit_predict(X) == Kindred(2, hints=text).fit_predict(X)).all()


def test_a_complete_y_is_the_truth_of_a_test_and_not_learned_from():
    X, group = blobs()
    shuffled = np.random.default_rng(0).permutation(group)
    assert (Kindred(3, method="kmeans").fit(X, shuffled).labels_ == Kindred(3, method="kmeans").fit(X).labels_).all()
    assert Kindred(3).fit(X, shuffled).method_ == "auto"
    partial = np.where(np.arange(60) < 6, group, -1)
    assert any("y was not used" in note for note in Kindred(3, method="kmeans").fit(X, partial).notes_)


def test_questions_are_a_loop():
    X, group = blobs()
    questions = Kindred(3).ask(X, budget=6)
    for question in questions:
        assert 0 <= question.a < 60 and 0 <= question.b < 60 and 0 <= question.likely <= 1 and question.why
        question.answer("same" if group[question.a] == group[question.b] else "different")
    assert 0 < len(questions.hints) <= 6
    assert adjusted_rand_score(group, Kindred(3, hints=questions.hints).fit_predict(X)) == 1
    with pytest.raises(KindredError, match='"same"'):
        question.answer("perhaps")


def test_memberships_are_probabilities_of_mixtures():
    X, group = blobs()
    model = Kindred(3, method="gmm").fit(X)
    assert model.memberships_.shape == (60, 3)
    assert np.allclose(model.memberships_.sum(axis=1), 1)
    assert (model.memberships_.argmax(axis=1) == model.labels_).all()
    assert np.allclose(model.predict_proba(X), model.memberships_)
    table, _ = customers()
    mixed = Kindred(3, method="mixed").fit(table)
    assert (mixed.memberships_.argmax(axis=1) == mixed.labels_).all()
    assert hasattr(mixed, "predict_proba") and not hasattr(Kindred(3, method="kmeans").fit(X), "predict_proba")


def test_errors_name_the_place_in_words_of_python():
    X, _ = blobs(rows=6)
    with pytest.raises(KindredError, match="n_clusters|7"):
        Kindred(7, method="kmeans").fit(X)
    with pytest.raises(KindredError, match='no method "kmens"'):
        Kindred(2, method="kmens").fit(X)
    with pytest.raises(KindredError, match="restart"):
        Kindred(2, method="kmeans", options={"restart": 2}).fit(X)
    with pytest.raises(KindredError, match="same name"):
        Kindred(2).fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    with pytest.raises(KindredError, match="y has 2 values for 6 rows"):
        Kindred(2).fit(X, [1, -1])
    with pytest.raises(ValueError, match="infinity"):
        Kindred(2).fit([[1.0, np.inf], [2, 3]])
    error = pickle.loads(pickle.dumps(KindredError("text", "option", "code", "k")))
    assert (str(error), error.kind, error.code, error.option) == ("text", "option", "code", "k")


def test_one_million_rows_are_not_copied_in_python():
    resource = pytest.importorskip("resource")
    if not sys.platform.startswith("linux"):
        pytest.skip("the peak of memory is counted in kilobytes on Linux")
    code = """
import resource, numpy as np
from kindred_clustering import Kindred
Kindred(2, method="kmeans").fit([[0.0], [1], [9]])
X = np.random.default_rng(0).normal(size=(1_000_000, 10))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
Kindred(3, method="kmeans", options={"sample": 2000}).fit(X)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    answer = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    # The rows are 76 MB; the labels, their text and the checks take less.
    assert float(answer.stdout) < 40


def test_the_explorer_s_server_answers_its_own_page_only():
    explore = pytest.importorskip("kindred_clustering._explore").explore
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    table, _ = customers(12)
    shown = explore(table, name="customers")
    address = urlsplit(shown.address)

    def get(path, host="127.0.0.1"):
        connection = HTTPConnection(address.hostname, address.port)
        connection.request("GET", path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    assert address.hostname == "127.0.0.1"
    status, page = get(address.path)
    assert status == 200 and 'id="app"' in page
    assert json.loads(get(address.path + "served.json")[1]) == {"name": "customers.csv"}
    lines = get(address.path + "data")[1].splitlines()
    assert lines[0] == "id,plan,spend,visits,joined,newsletter" and len(lines) == 13 and lines[6].split(",")[2] == ""
    for path in ("/", "/data", "/wrong/data", address.path + "../models.py", address.path + "%2e%2e/models.py"):
        assert get(path)[0] == 404
    assert get(address.path + "data", "evil.example")[0] == 404
    shown.hints = {"pairs": [{"a": 0, "b": 3, "same": True}], "groups": [], "labels": [], "not": []}
    assert shown.model(3).get_params()["hints"]["pairs"][0]["b"] == 3
    assert explore(np.eye(3)).cluster is None
