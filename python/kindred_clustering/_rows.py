"""Rows of Python as the arrays of a message, without copies where their memory can be sent as it is."""

from __future__ import annotations

import datetime
import decimal
import numbers
from typing import Any, Iterable

import numpy as np

from ._node import TYPES, KindredError

Message = tuple[dict, dict[str, np.ndarray]]


def is_table(X: Any) -> bool:
    """Whether rows have named columns: a DataFrame of pandas or polars, a table of Arrow, or columns by name."""
    # A sparse array of scipy may be a dict, too.
    return hasattr(X, "column_names") or hasattr(X, "columns") or (isinstance(X, dict) and not hasattr(X, "shape"))


def table_rows(X: Any) -> int:
    if isinstance(X, dict):
        return len(next(iter(X.values()), ()))
    return X.num_rows if hasattr(X, "num_rows") else len(X)


def rows_of(X: Any) -> Message:
    """The form and the arrays of any rows."""
    if not is_table(X):
        return _matrix(np.asarray(X))
    columns: list[dict] = []
    kinds: dict[str, str] = {}
    arrays: dict[str, np.ndarray] = {}
    for place, (name, values) in enumerate(_columns(X)):
        about, array, kind = _column(values)
        columns.append({"name": name, **about})
        arrays[f"c{place}"] = array
        if kind is not None:
            kinds[name] = kind
    if len({column["name"] for column in columns}) < len(columns):
        raise KindredError("two columns have the same name; rename one of them")
    return {"columns": columns, "as": kinds}, arrays


def _matrix(X: np.ndarray) -> Message:
    if X.ndim != 2:
        raise KindredError(f"rows are a table or an array of two dimensions, got {X.ndim}")
    X = _sendable(X)
    if X.flags.c_contiguous:
        return {"shape": list(X.shape)}, {"X": X}
    if X.flags.f_contiguous:
        return {"shape": list(X.shape), "strides": [1, X.shape[0]]}, {"X": X}
    return {"shape": list(X.shape)}, {"X": np.ascontiguousarray(X)}


def _sendable(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.newbyteorder("=").str[1:] in TYPES else values.astype(np.float64)


def _columns(X: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(X, dict):
        return [(str(name), np.asarray(values)) for name, values in X.items()]
    if hasattr(X, "get_columns"):
        return [(column.name, column) for column in X.get_columns()]
    if hasattr(X, "column_names"):
        return [(name, X.column(name)) for name in X.column_names]
    return [(str(name), X.iloc[:, place]) for place, name in enumerate(X.columns)]


def _column(values: Any) -> tuple[dict, np.ndarray, str | None]:
    """What a column is to the receiver, its array, and its kind if its type says that."""
    levels = _levels(values)
    if levels is not None:
        codes, texts, ordered = levels
        plain = not any(mark in text for text in texts for mark in "|,")
        kind = f"ordered:{'|'.join(texts)}" if ordered and plain and len(texts) > 1 else "category"
        return {"type": "text", "texts": texts}, codes, kind
    array = _numpy(values)
    if array.ndim == 2:
        array = np.ascontiguousarray(_sendable(array))
        return {"type": "vector", "width": array.shape[1]}, array, None
    kind = array.dtype.kind
    if kind in "fiu":
        return {"type": "number"}, np.ascontiguousarray(_sendable(array)), None
    if kind == "b":
        return {"type": "bool"}, array.astype(np.uint8), None
    if kind == "m":
        seconds = array.astype("timedelta64[ms]").astype(np.float64) / 1000
        return {"type": "number"}, np.where(np.isnat(array), np.nan, seconds), None
    if kind == "M":
        times = array.astype("datetime64[ms]").astype(np.float64)
        return {"type": "date"}, np.where(np.isnat(array), np.nan, times), None
    if kind == "c":
        raise KindredError("complex numbers are no columns; give their parts")
    return _objects(array)


def _levels(values: Any) -> tuple[np.ndarray, list[str], bool] | None:
    """Codes, levels and order of a column of categories."""
    if hasattr(values, "cat") and hasattr(getattr(values, "dtype", None), "categories") and hasattr(values, "iloc"):
        return values.cat.codes.to_numpy(np.int32), [str(one) for one in values.cat.categories], values.cat.ordered
    if type(values).__module__.startswith("polars") and str(values.dtype).startswith(("Categorical", "Enum")):
        codes, texts = _coded(values.cast(str).to_list())
        return codes, texts, False
    if hasattr(values, "type") and str(values.type).startswith("dictionary"):
        codes, texts = _coded(values.to_pylist())
        return codes, texts, False
    return None


def _numpy(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "iloc"):
        dtype = values.dtype
        if isinstance(dtype, np.dtype):
            return values.to_numpy()
        if getattr(dtype, "tz", None) is not None:
            return values.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        if getattr(dtype, "kind", "O") in "iuf":
            return values.to_numpy(np.float64, na_value=np.nan)
        return values.to_numpy(object)
    if hasattr(values, "num_chunks"):
        if str(values.type).startswith(("list", "fixed_size_list", "large_list")):
            return _objects_array(values.to_pylist())
        return values.to_numpy()
    if str(values.dtype).startswith(("List", "Array")):
        return _objects_array(values.to_list())
    return values.to_numpy()


def _objects_array(values: list) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _objects(array: np.ndarray) -> tuple[dict, np.ndarray, str | None]:
    values = [None if _missing(value) else value for value in array.tolist()]
    types = {type(value) for value in values if value is not None}
    if types and all(issubclass(one, (list, tuple, np.ndarray)) for one in types):
        return _vectors(values)
    if types and all(issubclass(one, (bool, np.bool_)) for one in types):
        codes = np.fromiter((2 if value is None else int(value) for value in values), np.uint8, len(values))
        return {"type": "bool"}, codes, None
    if types and all(issubclass(one, (numbers.Real, decimal.Decimal)) and one is not bool for one in types):
        floats = np.fromiter((np.nan if value is None else float(value) for value in values), np.float64, len(values))
        return {"type": "number"}, floats, None
    if types and all(issubclass(one, datetime.date) for one in types):
        times = np.array(values, "datetime64[ms]")
        return {"type": "date"}, np.where(np.isnat(times), np.nan, times.astype(np.float64)), None
    if any(issubclass(one, (dict, set)) for one in types):
        raise KindredError("a column holds dicts or sets; give their values as columns")
    codes, texts = _coded(values)
    return {"type": "text", "texts": texts}, codes, None


def _vectors(values: list) -> tuple[dict, np.ndarray, str | None]:
    widths = {len(value) for value in values if value is not None}
    if len(widths) != 1:
        raise KindredError(f"the lists of a column have different lengths ({', '.join(map(str, sorted(widths)[:5]))})")
    width = widths.pop()
    gap = [np.nan] * width
    array = np.array([gap if value is None else value for value in values], np.float64)
    return {"type": "vector", "width": width}, array, None


def _coded(values: Iterable[Any]) -> tuple[np.ndarray, list[str]]:
    known: dict[Any, int] = {}
    codes = np.fromiter(
        (-1 if value is None else known.setdefault(str(value), len(known)) for value in values), np.int32
    )
    return codes, list(known)


def _missing(value: Any) -> bool:
    if value is None or (isinstance(value, float) and value != value):
        return True
    return type(value).__name__ in ("NAType", "NaTType")
