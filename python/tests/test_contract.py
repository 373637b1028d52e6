"""The contract of scikit-learn's estimators, and the examples of the documentation."""

import doctest
import importlib
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kindred_clustering import ITML, LMNN, MLCA, Kindred

HERE = Path(__file__).resolve().parent


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([Kindred(3, method="kmeans"), LMNN(), ITML(), MLCA()])
def test_estimators(estimator, check):
    check(estimator)


@pytest.mark.parametrize("module", ["_estimator", "_metrics"])
def test_examples_of_the_functions(module):
    failed, tried = doctest.testmod(importlib.import_module(f"kindred_clustering.{module}"))
    assert failed == 0 and tried > 5


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/python.md"])
def test_examples_of_the_pages(page):
    # Beside the package, in the checkout, or where test.sh put it.
    places = [HERE.parent / page, HERE.parents[1] / page, HERE.parent / "docs" / Path(page).name]
    path = next(place for place in places if place.exists())
    failed, tried = doctest.testfile(str(path), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert failed == 0 and tried > 2
