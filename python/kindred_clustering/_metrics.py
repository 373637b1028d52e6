"""Learned metrics as transformers, under the names of metric-learn. Each maps rows to where Euclidean distances count."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._estimator import _camel, _plain
from ._node import KindredError, node
from ._rows import rows_of


class _Metric(TransformerMixin, BaseEstimator):
    """
    Parameters
    ----------
    n_components : the number of directions, of methods that have a choice; None: all
    random_state : the seed of random choices
    options : further options of the method by name, as ``kindred metric --help`` lists them

    Attributes
    ----------
    components_ : the matrix L; the distance of rows a and b is the norm of L (a - b)
    threshold_ : of methods that learn from pairs: rows nearer than this are "the same"; else None
    """

    _name: str

    def __init__(self, *, random_state: int = 0, options: Mapping[str, Any] | None = None):
        self.random_state = random_state
        self.options = options

    def transform(self, X: Any) -> np.ndarray:
        """The rows in the space of the metric."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) @ self.components_.T

    def get_mahalanobis_matrix(self) -> np.ndarray:
        """The matrix M of the distance: d(a, b)^2 = (a - b)' M (a - b)."""
        check_is_fitted(self)
        return self.components_.T @ self.components_

    def pair_distance(self, pairs: Any) -> np.ndarray:
        """The distance of each pair of rows, of an array of shape (pairs, 2, columns)."""
        check_is_fitted(self)
        pairs = np.asarray(pairs, np.float64)
        return np.linalg.norm((pairs[:, 0] - pairs[:, 1]) @ self.components_.T, axis=1)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _learn(self, X: np.ndarray, side: dict, draw: int | None = None) -> "_Metric":
        form, arrays = rows_of(X)
        given = {_camel(name): _plain(value) for name, value in (self.options or {}).items()}
        if getattr(self, "n_components", None) is not None:
            given["dims"] = int(self.n_components)
        seed = int(self.random_state or 0)
        message = {"name": self._name, "rows": form, "side": side, "draw": draw, "seed": seed, "options": given}
        answer = node.call("metric", message, arrays)
        self.components_ = answer["factor"]
        self.threshold_ = answer["threshold"]
        self.n_iter_ = answer["iterations"]
        self.converged_ = answer["converged"]
        self.warnings_ = answer["warnings"]
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class _Reducing(_Metric):
    """A metric of as many directions as are asked for."""

    def __init__(
        self, n_components: int | None = None, *, random_state: int = 0, options: Mapping[str, Any] | None = None
    ):
        super().__init__(random_state=random_state, options=options)
        self.n_components = n_components


class _FromClasses(_Metric):
    def fit(self, X: Any, y: Any) -> "_Metric":
        """Learns from the classes of the rows; -1, None or NaN is unknown."""
        X, y = _rows_and_classes(self, X, y)
        return self._learn(X, {"labels": _texts(y)})


class _FromPairs(_Metric):
    #: Pairs of each kind that are drawn from classes.
    _drawn = 200

    def fit(self, X: Any, y: Any = None) -> "_Metric":
        """Learns from pairs, or from classes.

        Parameters
        ----------
        X : an array of shape (pairs, 2, columns), or rows
        y : 1 for pairs that are the same, -1 for those that differ; for rows their classes, from which pairs are drawn
        """
        if np.asarray(X).ndim != 3:
            X, y = _rows_and_classes(self, X, y)
            return self._learn(X, {"labels": _texts(y)}, self._drawn)
        pairs = np.asarray(X, np.float64)
        y = np.asarray(y)
        if pairs.shape[1] != 2 or y.shape != (len(pairs),) or not np.isin(y, (-1, 1)).all():
            raise KindredError("pairs have the shape (pairs, 2, columns), and y is 1 or -1 for each")
        rows = validate_data(self, pairs.reshape(2 * len(pairs), -1), dtype=np.float64)
        ends = np.arange(2 * len(pairs)).reshape(-1, 2)
        known = {"mustLink": ends[y == 1].tolist(), "cannotLink": ends[y == -1].tolist()}
        return self._learn(rows, {"pairs": known})


class LMNN(_FromClasses, _Reducing):
    """Large margin nearest neighbours: rows of other classes stay outside a row's own neighbours, by a margin.

    >>> from kindred_clustering import LMNN
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN(n_components=2).fit_transform(X, y).shape
    (150, 2)
    """

    _name = "lmnn"


class NCA(_FromClasses, _Reducing):
    """Neighbourhood component analysis: raises the expected leave-one-out accuracy of a soft neighbour rule."""

    _name = "nca"


class LFDA(_FromClasses, _Reducing):
    """Local Fisher discriminant analysis: keeps the clouds of a class separate."""

    _name = "lfda"


class MLCA(_FromClasses):
    """Least squares on the class indicators, in closed form; for grouping new rows like labelled ones."""

    _name = "mlca"


class ITML(_FromPairs):
    """Information-theoretic metric learning: the metric closest to the Euclidean one that keeps bounds on the pairs.

    >>> import numpy as np
    >>> from kindred_clustering import ITML
    >>> pairs = np.array([[[0, 0], [0, 9]], [[5, 1], [5, 8]], [[0, 0], [5, 0]], [[0, 9], [5, 9]]])
    >>> near, far = ITML().fit(pairs, [1, 1, -1, -1]).pair_distance([[[0, 0], [0, 9]], [[0, 0], [5, 0]]])
    >>> bool(near < far)
    True
    """

    _name = "itml"


class MMC(_FromPairs):
    """Xing's metric: pairs that differ far apart while those that are the same stay near."""

    _name = "mmc"


class SDML(_FromPairs):
    """Sparse distance metric learning: few products of columns count."""

    _name = "sdml"


class RCA(_Reducing):
    """Relevant component analysis: whitens the variation within groups of similar rows."""

    _name = "rca"

    def fit(self, X: Any, chunks: Any) -> "RCA":
        """Learns from groups of similar rows: the number of each row's group, -1 for none."""
        X, chunks = _rows_and_classes(self, X, chunks)
        return self._learn(X, {"chunklets": _texts(chunks)})


def _rows_and_classes(estimator: _Metric, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    if y is None:
        raise KindredError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    X = validate_data(estimator, X, dtype=np.float64, ensure_min_samples=2)
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (len(X),):
        raise KindredError(f"y has the shape {y.shape} for {len(X)} rows")
    return X, y


def _texts(y: np.ndarray) -> list[str]:
    return ["" if value is None or value != value or value in (-1, "-1") else str(value) for value in y.tolist()]
