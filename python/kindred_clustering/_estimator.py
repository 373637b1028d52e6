from __future__ import annotations

import hashlib
import json
import numbers
import re
from os import PathLike
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ._node import KindredError, node
from ._rows import Message, is_table, rows_of, table_rows


def _has_probabilities(estimator: "Kindred") -> bool:
    if not hasattr(estimator, "_model"):
        return True
    if hasattr(estimator, "memberships_"):
        return True
    raise AttributeError(f"clusters of {estimator.method_} have no probabilities; the methods gmm and mixed do")


class Kindred(ClusterMixin, BaseEstimator):
    """Finds the groups of a table with columns of any kind, and says how far they can be trusted.

    Parameters
    ----------
    n_clusters : int or None
        The number of clusters; None: it is found.
    method : str
        ``"auto"`` tries methods of several kinds and takes the partition on which they agree most. The others are
        listed by :func:`kindred_clustering.methods`.
    hints : None, str, path, or a list of (row, row, "same" or "different")
        What is known of some rows. A text or a file has lines such as ``4,9,same`` or ``4,first group``.
    random_state : int, RandomState or None
        The seed of random choices; None is the seed 0, so equal calls give equal results.
    options : dict or None
        Further options of the table and of the method, such as ``{"id": "customer", "restarts": 20}``.

    Attributes
    ----------
    labels_ : the cluster of each row, -1 for a row that belongs to none
    n_clusters_ : the number of clusters
    names_ : a name for each cluster, suggested from what sets it apart
    trust_ : dict with ``word``, ``probability`` and ``why``, or None
    profiles_ : for each cluster its size, its words, and how its columns differ from all rows
    relevance_ : dict with the share of each column in the distances
    memberships_ : rows x clusters, the probabilities; only of methods that are mixtures (gmm, mixed)
    notes_ : list of sentences about what was filled, left out or decided
    model_ : the model file as a dict, which ``kindred apply`` and every other Kindred reads
    seconds_ : how long the fit itself took

    Examples
    --------
    >>> import numpy as np
    >>> from kindred_clustering import Kindred
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = Kindred(n_clusters=2, method="kmeans").fit(X)
    >>> sorted(model.labels_.tolist())
    [0, 0, 0, 1, 1, 1]
    >>> bool(model.predict([[0, 3]])[0] == model.labels_[0])
    True

    A table may have columns of any kind, and gaps:

    >>> table = {"plan": ["free", "pro", "free", "pro"] * 10, "spend": [1.0, 90, None, 95] * 10}
    >>> Kindred(n_clusters=2).fit(table).labels_[:4].tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
    True
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "auto",
        hints: str | PathLike | Sequence | Mapping | None = None,
        random_state: Any = None,
        options: Mapping[str, Any] | None = None,
    ):
        self.n_clusters = n_clusters
        self.method = method
        self.hints = hints
        self.random_state = random_state
        self.options = options

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> "Kindred":
        """Finds the clusters of the rows of X.

        Parameters
        ----------
        X : a DataFrame of pandas or polars, a table of Arrow, columns by name, or an array of numbers
        y : known groups of some rows; -1, None or NaN where the group is not known
            Where every group is known, y is ignored, as clusterings of scikit-learn do: it is the truth of a test.
        must_link, cannot_link : pairs of row numbers that belong together, or do not
        """
        form, arrays = self._rows(X, reset=True)
        labels = _partial(y, table_rows(X) if is_table(X) else form["shape"][0])
        pairs = {"mustLink": _pairs(must_link), "cannotLink": _pairs(cannot_link)}
        given = {**self._options(), **pairs, "labels": labels}
        options = {name: value for name, value in given.items() if value is not None}
        answer = node.call("cluster", {"rows": form, "options": options}, arrays)
        self._take(answer.pop("model"), answer["labels"])
        self.seconds_ = answer["seconds"]
        self.notes_ += answer["unheard"]
        if hasattr(self, "memberships_"):
            del self.memberships_
        if "proba" in answer:
            self.memberships_ = answer["proba"]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each row of X; -1 for a row that belongs to none.

        >>> from kindred_clustering import Kindred
        >>> rows = [[0.0, 0], [0, 1], [9, 9], [9, 8]]
        >>> model = Kindred(2, method="kmeans").fit(rows)
        >>> (model.predict(rows) == model.labels_).all().item()
        True
        """
        return self._ask_model("assign", X)["labels"]

    def place(self, X: Any) -> dict:
        """The cluster of each row with its distance, the next cluster and its distance, and notes.

        >>> from kindred_clustering import Kindred
        >>> model = Kindred(2, method="kmeans", options={"scale": "none"}).fit([[0.0, 0], [0, 1], [9, 9], [9, 8]])
        >>> model.place([[0, 0.5]])["distances"].round(3).tolist()
        [0.0]
        """
        answer = self._ask_model("assign", X)
        answer["notes"] = [one["message"] for one in answer["notes"]]
        return {name.replace("nextD", "next_d"): value for name, value in answer.items()}

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each cluster for each row, of methods that are mixtures (gmm, mixed).

        >>> from kindred_clustering import Kindred
        >>> model = Kindred(2, method="gmm").fit([[0.0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]])
        >>> model.predict_proba([[0, 0]]).max().round(3).item()
        1.0
        """
        return self._ask_model("proba", X)["proba"]

    def explain(self) -> str:
        """The clustering in words: what each cluster is, which columns counted, how far to trust it.

        >>> from kindred_clustering import Kindred
        >>> print(Kindred(2, method="kmeans").fit([[0.0, 0], [0, 1], [9, 9], [9, 8]]).explain().splitlines()[0])
        2 clusters, found by kmeans.
        """
        check_is_fitted(self)
        return self._with_model("explain", {})["text"]

    def ask(self, X: Any, budget: int = 20) -> "Questions":
        """A loop over the pairs of rows that are most worth a question.

        >>> from kindred_clustering import Kindred
        >>> rows = [[float(i % 2) * 9, i / 9] for i in range(30)]
        >>> questions = Kindred(n_clusters=2).ask(rows, budget=3)
        >>> for question in questions:
        ...     question.answer("same" if question.a % 2 == question.b % 2 else "different")
        >>> len(questions.hints)
        3
        >>> Kindred(n_clusters=2, hints=questions.hints).fit(rows).labels_.tolist()[:4] in ([0, 1, 0, 1], [1, 0, 1, 0])
        True
        """
        form, arrays = self._rows(X, reset=True)
        options = {name: value for name, value in self._options().items() if name != "method" and value is not None}
        return Questions(node.call("ask", {"rows": form, "options": {**options, "budget": budget}}, arrays))

    def save(self, path: str | PathLike) -> None:
        """Writes the model file, which ``kindred apply``, Node, a page and ``kindred_clustering.models`` read."""
        Path(path).write_text(json.dumps(self.model_), encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike) -> "Kindred":
        """Reads a model file, of whatever program wrote it.

        >>> import os, tempfile
        >>> from kindred_clustering import Kindred
        >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
        >>> Kindred(2, method="kmeans").fit([[0.0, 0], [0, 1], [9, 9], [9, 8]]).save(path)
        >>> Kindred.load(path).n_clusters_
        2
        """
        model = json.loads(Path(path).read_text(encoding="utf-8"))
        labels = np.array(model.pop("labels", []), np.int32)
        found = cls(model.get("clusters"), method=model.get("method", "auto"))
        found._take(json.dumps({**model, "labels": []}), labels)
        found._loaded = True
        return found

    @property
    def model_(self) -> dict:
        check_is_fitted(self)
        return {**json.loads(self._model), "labels": self.labels_.tolist()}

    def _take(self, text: str, labels: np.ndarray) -> None:
        model = json.loads(text)
        self._model = text
        self.labels_ = labels
        self.method_ = model["method"]
        self.n_clusters_ = model["clusters"]
        self.names_ = model["names"]
        self.trust_ = model.get("trust")
        self.profiles_ = model["profiles"]
        self.relevance_ = {one["column"]: one["share"] for one in model["relevance"]}
        self.notes_ = [one["message"] for one in model["notes"]]

    def _options(self) -> dict:
        options = {_camel(name): value for name, value in (self.options or {}).items()}
        seed = self.random_state
        if seed is not None and not isinstance(seed, numbers.Integral):
            seed = check_random_state(seed).randint(2**31 - 1)
        given = {
            **options,
            **_hints(self.hints),
            "clusters": None if self.n_clusters is None else _plain(self.n_clusters),
            "seed": None if seed is None else int(seed),
            "method": None if self.method == "auto" else self.method,
        }
        return {name: _plain(value) for name, value in given.items()}

    def _rows(self, X: Any, reset: bool) -> Message:
        if is_table(X):
            if reset and table_rows(X) < 2:
                raise KindredError(f"the table has {table_rows(X)} row(s) (n_samples); clustering needs at least two")
            message = rows_of(X)
            if hasattr(X, "columns") and not getattr(self, "_loaded", False):
                validate_data(self, X, reset=reset, skip_check_array=True)
            return message
        if getattr(self, "_loaded", False):
            return rows_of(X)
        checks = {"dtype": "numeric", "ensure_all_finite": "allow-nan", "ensure_min_samples": 2 if reset else 1}
        return rows_of(validate_data(self, X, reset=reset, **checks))

    def _ask_model(self, call: str, X: Any) -> dict:
        check_is_fitted(self)
        form, arrays = self._rows(X, reset=False)
        return self._with_model(call, {"rows": form}, arrays)

    def _with_model(self, call: str, message: dict, arrays: dict | None = None) -> dict:
        named = {**message, "model": hashlib.sha256(self._model.encode()).hexdigest()}
        try:
            return node.call(call, named, arrays)
        except KindredError as error:
            if error.code != "send-model":
                raise
        return node.call(call, {**named, "text": self._model}, arrays)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _repr_html_(self) -> str:
        """The clusters as cards, for notebooks."""
        return self._with_model("cards", {})["html"] if self.__sklearn_is_fitted__() else self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict:
        # Notebooks ask for this before _repr_html_, and scikit-learn would answer with a diagram of the parameters.
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


class Question:
    """A pair of rows: do they belong together?"""

    def __init__(self, asked: dict):
        self.a: int = asked["a"]
        self.b: int = asked["b"]
        self.number: int = asked["number"]
        self.why: str = asked["why"]
        #: The probability of the answer "same".
        self.likely: float = asked["likely"]
        #: The share of the rows whose cluster is undecided.
        self.open: float = asked["open"]
        #: Further questions would change little.
        self.enough: bool = asked["enough"]
        self.reply = "skip"

    def answer(self, reply: str) -> None:
        """Takes "same", "different", "skip" or "undo"; without an answer the pair is skipped."""
        if reply not in ("same", "different", "skip", "undo"):
            raise KindredError(f'an answer is "same", "different", "skip" or "undo", got {reply!r}', "option")
        self.reply = reply

    def __repr__(self) -> str:
        return f"Question({self.a}, {self.b}: {self.why})"


class Questions:
    """A round of questions; ``hints`` has what was answered, for ``Kindred(hints=...)``."""

    def __init__(self, answer: dict):
        self._round = answer["round"]
        self._next = answer["question"]
        self._given: list[tuple[int, int, str]] = []

    def __iter__(self) -> Iterator[Question]:
        while self._next is not None:
            question = Question(self._next)
            yield question
            self._next = node.call("reply", {"round": self._round, "reply": question.reply})["question"]
            if question.reply != "undo":
                self._given.append((question.a, question.b, question.reply))
            elif self._given:
                self._given.pop()

    @property
    def hints(self) -> list[tuple[int, int, str]]:
        return [one for one in self._given if one[2] != "skip"]


def methods() -> dict[str, str]:
    """Every method by its name, with a sentence about it.

    >>> from kindred_clustering import methods
    >>> "kmeans" in methods()
    True
    """
    return {one["name"]: one["sentence"] for one in node.call("about", {})["methods"]}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value.tolist() if isinstance(value, np.ndarray) else value


def _camel(name: str) -> str:
    return re.sub(r"_+([a-z])", lambda found: found[1].upper(), name)


def _hints(hints: Any) -> dict:
    if hints is None:
        return {}
    if isinstance(hints, str) and "\n" in hints:
        return {"hintText": hints}
    if isinstance(hints, (str, PathLike)):
        return {"hintText": Path(hints).read_text(encoding="utf-8")}
    if isinstance(hints, Mapping):
        return {"hints": dict(hints)}
    pairs = []
    for hint in hints:
        if len(hint) != 3 or hint[2] not in ("same", "different"):
            raise KindredError(f'a hint is (row, row, "same" or "different"), got {hint!r}', "option")
        pairs.append({"a": int(hint[0]), "b": int(hint[1]), "same": hint[2] == "same"})
    return {"hints": {"pairs": pairs}}


def _pairs(pairs: Any) -> list | None:
    if pairs is None:
        return None
    array = np.asarray(pairs)
    if array.size and (array.ndim != 2 or array.shape[1] != 2):
        raise KindredError("pairs are a list of (row, row)", "option")
    return array.reshape(-1, 2).astype(int).tolist()


def _partial(y: Any, rows: int) -> list[str] | None:
    """Known groups as texts, "" where they are not known; None if all or none are known."""
    if y is None:
        return None
    values = np.asarray(y, dtype=object).ravel().tolist()
    if len(values) != rows:
        raise KindredError(f"y has {len(values)} values for {rows} rows")
    unknown = [value is None or value != value or value == -1 or value in ("", "-1") for value in values]
    if all(unknown) or not any(unknown):
        return None
    return ["" if missing else str(value) for missing, value in zip(unknown, values)]
