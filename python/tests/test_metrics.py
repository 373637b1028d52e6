import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kindred_clustering as kindred
from kindred_clustering import ITML, LMNN, RCA, KindredError

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)


@pytest.mark.parametrize("name", ["LMNN", "NCA", "LFDA", "MLCA", "ITML", "MMC", "SDML", "RCA"])
def test_a_metric_is_a_matrix(name):
    metric = getattr(kindred, name)()
    Y = metric.fit(X[:90], y[:90]).transform(X[:90])
    assert Y.shape == (90, metric.components_.shape[0]) and np.isfinite(Y).all()
    M = metric.get_mahalanobis_matrix()
    assert np.allclose(M, M.T) and np.linalg.eigvalsh(M).min() > -1e-9
    pairs = X[:20].reshape(10, 2, -1)
    apart = np.linalg.norm(Y[0:20:2] - Y[1:20:2], axis=1)
    assert np.allclose(metric.pair_distance(pairs), apart)


def test_lmnn_in_a_pipeline():
    learned = make_pipeline(LMNN(n_components=2), KNeighborsClassifier(3))
    assert cross_val_score(learned, X, y, cv=3).mean() > 0.9


def test_pairs_as_in_metric_learn():
    ends = np.array([(i, j) for i in range(0, 178, 9) for j in range(i + 9, 178, 9)])
    same = np.where(y[ends[:, 0]] == y[ends[:, 1]], 1, -1)
    metric = ITML().fit(X[ends], same)
    apart = metric.pair_distance(X[ends])
    assert apart[same == 1].mean() < apart[same == -1].mean()
    assert metric.threshold_ > 0
    with pytest.raises(KindredError, match="1 or -1"):
        ITML().fit(X[ends], np.zeros(len(ends)))


def test_chunks():
    assert RCA().fit(X, np.where(np.arange(178) % 3 == 0, y, -1)).components_.shape == (13, 13)
