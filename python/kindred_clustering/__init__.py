"""Kindred for Python: finds the groups of a table with columns of any kind, and says how far they can be trusted.

The work is done by the library of Kindred in a Node process that this package brings and starts; nothing is sent anywhere.
"""

from ._estimator import Kindred, Question, Questions, methods
from ._metrics import ITML, LFDA, LMNN, MLCA, MMC, NCA, RCA, SDML
from ._node import KindredError

__all__ = [
    "ITML",
    "LFDA",
    "LMNN",
    "MLCA",
    "MMC",
    "NCA",
    "RCA",
    "SDML",
    "Kindred",
    "KindredError",
    "Question",
    "Questions",
    "explore",
    "methods",
]


def __getattr__(name: str):
    # The explorer needs anywidget, which only notebooks have.
    if name == "explore":
        from ._explore import explore

        return explore
    raise AttributeError(name)
