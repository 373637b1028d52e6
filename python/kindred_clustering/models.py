"""Places rows by a model file of Kindred, with NumPy and nothing else: this one file can be copied into any program.

    import json, models
    model = json.load(open("model.json"))
    models.place(model, {"plan": ["free", "pro"], "spend": [9.5, None], "joined": ["2024-03-01", "2025-01-31"]})["labels"]

A table is a dict or a DataFrame of columns with the types of their kinds: numbers, dates (ISO texts, datetime64, or days since
1970), texts, and vectors as rows of numbers; None and NaN are gaps. On a command line the table is a CSV with a header:

    python models.py model.json rows.csv
"""

from __future__ import annotations

import math
import unicodedata
from typing import Any

import numpy as np

#: Features are compared up to the rounding of logarithms, which differs between machines.
ROUNDING = 1e-9
#: Rows whose distances are in memory at a time.
BLOCK = 1024
DAYS = {"day": 1.0, "week": 7.0, "year": 365.2425}


def place(model: dict, table: Any) -> dict:
    """The cluster of each row (-1: none), its distance, the next cluster and the distance of that."""
    if model.get("kind") != "clustering" or model.get("kindred") != 2:
        raise ValueError("this is no model of a clustering in format 2")
    X = features(model, table)
    n = len(X)
    complete = ~np.isnan(X).any(axis=1)
    out = {
        "labels": np.full(n, -1),
        "distances": np.full(n, np.inf),
        "next": np.full(n, -1),
        "next_distances": np.full(n, np.inf),
    }
    rows = np.flatnonzero(complete)
    for start in range(0, len(rows), BLOCK):
        some = rows[start : start + BLOCK]
        for name, values in zip(out, _placed(model["placing"], X[some])):
            out[name][some] = values
    return out


# The space of the model.


def features(model: dict, table: Any) -> np.ndarray:
    """The rows as the numbers of the model; NaN in rows that are left out for their gaps."""
    space = model["space"]
    cells = _Cells(model["columns"], table)
    X = _scaled(space, cells) if space["kind"] == "scaling" else _recorded(space["record"], cells)
    metric = space.get("metric")
    if metric is None:
        return X
    if metric["kind"] != "mahalanobis":
        raise ValueError(f"a metric of the kind {metric['kind']} is placed by Kindred only")
    return X @ _matrix(metric["factor"]).T


def _scaled(space: dict, cells: "_Cells") -> np.ndarray:
    scaling = space["scaling"]
    X = np.column_stack([cells.numbers(name) for name in scaling["columns"]])
    if np.isnan(X).any():
        row, column = np.argwhere(np.isnan(X))[0]
        raise ValueError(f'row {row}, column "{scaling["columns"][column]}" has no number, which the model needs')
    groups = {group.get("batch"): k for k, group in enumerate(scaling["groups"])}
    batch = cells.texts(space["batch"]) if None not in groups else [None] * cells.rows
    unseen = [one for one in batch if one not in groups]
    if unseen:
        raise ValueError(f'the group "{unseen[0]}" was not seen when the scaling was made')
    places = [groups[one] for one in batch]
    center = np.array([group["center"] for group in scaling["groups"]])[places]
    scale = np.array([group["scale"] for group in scaling["groups"]], float)[places]
    scale[scale == 0] = np.inf
    return (X[:, scaling["kept"]] - center) / scale


def _recorded(record: dict, cells: "_Cells") -> np.ndarray:
    blocks = [np.sqrt(part["weight"]) * _part(part, cells) for part in record["parts"]]
    X = np.column_stack(blocks) if blocks else np.empty((cells.rows, 0))
    gaps = _gaps(record, cells) if record["missing"] != "fill" else np.zeros(cells.rows, bool)
    if record["missing"] == "refuse" and gaps.any():
        raise ValueError(f"row {gaps.argmax()} has a missing cell, which the model refuses")
    if "fill" in record:
        levels = np.concatenate([[part["encoding"]["form"] == "levels"] * len(part["names"]) for part in record["parts"]])
        _fill(record["fill"], X, levels)
    X = np.nan_to_num(X, nan=0.0)
    if record["scale"] == "unit":
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        X = X / np.where(norms == 0, 1, norms)
    X[gaps] = np.nan
    return X


def _gaps(record: dict, cells: "_Cells") -> np.ndarray:
    gaps = np.zeros(cells.rows, bool)
    for part in record["parts"]:
        encoding = part["encoding"]
        if encoding["form"] == "mark":
            continue
        others = [other["column"] for other in part.get("adjust", [])]
        for name in [part["column"], encoding.get("since", part["column"]), *others]:
            gaps |= cells.missing(name)
    return gaps


def _fill(fill: dict, X: np.ndarray, levels: np.ndarray) -> None:
    """x = mean + W z, with z estimated from the cells that are there; categories become their mean."""
    mean, W = np.array(fill["mean"]), _matrix(fill["loadings"])
    missing = np.isnan(X)
    for i in np.flatnonzero(missing.any(axis=1)):
        known = ~missing[i]
        own = W[known]
        A = own.T @ own + fill["noise"] * np.eye(W.shape[1])
        z = np.linalg.solve(A, own.T @ (X[i, known] - mean[known]))
        X[i] = np.where(missing[i], np.where(levels, mean, mean + W @ z), X[i])


def _part(part: dict, cells: "_Cells") -> np.ndarray:
    block = _encoded(part["encoding"], part["column"], cells)
    for other in part.get("adjust", []):
        means = {level: row for level, row in zip(other["levels"], _matrix(other["means"]))}
        zero = np.zeros(block.shape[1])
        block = block - np.array([means.get(level, zero) for level in cells.texts(other["column"])])
    return block


def _encoded(encoding: dict, name: str, cells: "_Cells") -> np.ndarray:
    form = encoding["form"]
    if form == "number":
        return _number(encoding, _raw(encoding, name, cells))[:, None]
    if form == "levels":
        return _levels(encoding, cells.texts(name))
    if form == "cyclic":
        days = cells.numbers(name)
        angle = 2 * np.pi * (np.floor(days) if encoding["period"] == "week" else days) / DAYS[encoding["period"]]
        return (np.column_stack([np.cos(angle), np.sin(angle)]) - encoding["center"]) / encoding["spread"]
    if form == "vector":
        Y = cells.vectors(name, len(encoding["mean"]))
        Y[~np.isfinite((Y**2).sum(axis=1))] = np.nan
        if encoding["unit"]:
            norms = np.linalg.norm(Y, axis=1, keepdims=True)
            Y = Y / np.where(norms == 0, 1, norms)
        Y = (Y - encoding["mean"]) / encoding["spread"]
        return Y if "components" not in encoding else Y @ _matrix(encoding["components"])
    if form == "words":
        return _words(encoding, cells.texts(name))
    if form == "mark":
        marks = cells.numbers(name) == 0
        return ((marks - encoding["share"]) / encoding["spread"])[:, None]
    raise ValueError(f"a model with features of the form {form} is placed by Kindred only")


def _raw(encoding: dict, name: str, cells: "_Cells") -> np.ndarray:
    """The numbers of a column before their transform."""
    if "since" in encoding:
        return cells.numbers(name) - cells.numbers(encoding["since"])
    if "levels" in encoding:
        values = _ordered(encoding, cells.texts(name))
    else:
        values = cells.numbers(name)
    if encoding.get("amount"):
        return np.where(values == 0, np.nan, values)
    return values


def _ordered(encoding: dict, texts: list) -> np.ndarray:
    """The values of ordered levels; an unknown number lies on the line through the two beside it."""
    known = dict(zip(encoding["levels"], encoding["levelValues"]))
    pairs = sorted((_float(level), value) for level, value in known.items())
    if len(pairs) > 1 and not any(math.isnan(x) for x, _ in pairs) and pairs[-1][0] > pairs[0][0]:
        (low, first), (high, last) = pairs[0], pairs[-1]
        slope = (last - first) / (high - low)
        ends = 2 * low - high, 2 * high - low
        knots = [(ends[0], first + slope * (ends[0] - low)), *pairs, (ends[1], last + slope * (ends[1] - high))]
        line = lambda x: np.interp(x, *zip(*knots)) if ends[0] <= x <= ends[1] else np.nan
    else:
        line = lambda x: np.nan
    return np.array([np.nan if text is None else known[text] if text in known else line(_float(text)) for text in texts])


def _number(encoding: dict, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        if encoding["transform"] == "log":
            shifted = x + encoding.get("shift", 0)
            x = np.log(np.where(np.isnan(x), np.nan, np.maximum(shifted, encoding.get("floor", 0))))
        elif encoding["transform"] == "arcsinh":
            x = np.arcsinh(x / encoding.get("unit", 1))
        if "clip" in encoding:
            low, high, give = (encoding["clip"][name] for name in ("low", "high", "give"))
            x = np.where(x > high, high - give * np.expm1((high - x) / give), x)
            x = np.where(x < low, low + give * np.expm1((x - low) / give), x)
    return (x - encoding["center"]) / encoding["spread"]


def _levels(encoding: dict, texts: list) -> np.ndarray:
    levels, kind = encoding["levels"], encoding["cells"]
    places = {level: f for f, level in enumerate(levels)}
    rare, last, end = set(encoding.get("pooled", [])), {}, 0
    for count in encoding.get("depths", [len(levels)]):
        depth = levels[end].count(" > ") if kind == "path" else 0
        end += count
        last[depth] = end - 1
    offsets = np.array(encoding["offsets"])
    out = np.full((len(texts), len(levels)), np.nan)
    for i, text in enumerate(texts):
        if text is None:
            continue
        parts = _cell_parts(text, kind, encoding.get("separator"))
        own = [last.get(p) if part in rare else places.get(part) for p, part in enumerate(parts)]
        own = [f for f in own if f is not None]
        if own or kind == "list":
            out[i] = -offsets
            out[i, own] = 1 - offsets[own]
    return out / encoding["spread"]


def _cell_parts(cell: str, kind: str, separator: str | None) -> list[str]:
    if kind == "one":
        return [cell]
    marks = [separator] if separator is not None else [";", "|", ","] if kind == "list" else ["::", ">", "/", "\\"]
    for mark in marks[1:]:
        cell = cell.replace(mark, marks[0])
    parts = [part.strip() for part in cell.split(marks[0])]
    parts = [part for part in parts if part]
    if kind == "list":
        return list(dict.fromkeys(parts))
    return [" > ".join(parts[: p + 1]) for p in range(len(parts))] or [cell]


def _words(encoding: dict, texts: list) -> np.ndarray:
    vectors, center = _matrix(encoding["vectors"]), np.array(encoding["center"])
    places = {word: w for w, word in enumerate(encoding["words"])}
    out = np.full((len(texts), len(center)), np.nan)
    for i, text in enumerate(texts):
        counts: dict[int, int] = {}
        for word in _words_of(text or ""):
            inside = _inside(word, places)
            for place in [places[word]] if word in places else inside:
                counts[place] = counts.get(place, 0) + 1
        if counts:
            scores = sum((1 + math.log(count)) * vectors[place] for place, count in counts.items())
            norm = np.linalg.norm(scores)
            out[i] = (scores / (norm or 1) - center) / encoding["spread"]
    return out


def _inside(word: str, places: dict) -> list[int]:
    """The places of the known words inside another word, but for those inside a longer one."""
    found: list[tuple[int, int, int]] = []
    for length in range(len(word) - 1, 1, -1) if len(word) <= 40 else []:
        for start in range(len(word) - length + 1):
            end = start + length
            part = word[start:end]
            # A syllable of Hangul is written in one character.
            letters = sum(2 if unicodedata.name(letter, "").startswith("HANGUL") else 1 for letter in part)
            if letters < 4 or part not in places or any(a <= start and end <= b for a, b, _ in found):
                continue
            found.append((start, end, places[part]))
    return [place for _, _, place in found]


#: Scripts that are written without spaces: neighbouring characters are words.
UNSPACED = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def _words_of(text: str) -> list[str]:
    runs: list[tuple[str, str]] = []
    for character in unicodedata.normalize("NFKC", text).lower():
        name = unicodedata.name(character, "")
        letter = unicodedata.category(character)[0] in "LM"
        kind = "pairs" if letter and name.startswith(UNSPACED) else "word" if letter else ""
        if runs and runs[-1][0] == kind:
            runs[-1] = kind, runs[-1][1] + character
        else:
            runs.append((kind, character))
    words = []
    for kind, run in runs:
        if kind == "word" and len(run) > 1:
            words.append(run)
        elif kind == "pairs":
            words += [a + b for a, b in zip(run, run[1:])] or [run]
    return words


# The rules for rows.


def _placed(rule: dict, X: np.ndarray) -> tuple:
    means = _matrix(rule["means"])
    if X.shape[1] != means.shape[1]:
        raise ValueError(f"the rows have {X.shape[1]} features, but the model has {means.shape[1]}")
    kind = rule["kind"]
    if kind == "centers":
        turn = _map(rule)
        D = _squares(turn(X), turn(_matrix(rule["centers"])))
        for i, label in _equal_rows(rule.get("exceptions"), X):
            D[i, label] = 0
        return _nearest(D)
    if kind == "rows":
        return _nearest(_by_rows(rule, X, len(means)))
    if kind == "mixed":
        return _two_best(_scores(rule, X), X, means)
    labels = {"mixture": _mixture, "kernel-kmeans": _kernel, "cpd-uml": _field, "density": _density}[kind](rule, X)
    known = (rule.get("mixture") or rule.get("model")).get("known")
    for i, label in _equal_rows(known, X):
        labels[i] = label
    return _to_means(labels, X, means)


def _map(rule: dict):
    return (lambda X: X @ _matrix(rule["map"])) if "map" in rule else (lambda X: X)


def _nearest(D: np.ndarray) -> tuple:
    """The nearest and the next cluster, from squared distances."""
    labels = D.argmin(axis=1)
    rows = np.arange(len(D))
    first = np.sqrt(D[rows, labels])
    if D.shape[1] < 2:
        return labels, first, np.full(len(D), -1), np.full(len(D), np.inf)
    rest = D.copy()
    rest[rows, labels] = np.inf
    other = rest.argmin(axis=1)
    # Where all others are infinitely far, the first of them is next.
    other = np.where(other == labels, np.where(labels == 0, 1, 0), other)
    return labels, first, other, np.sqrt(rest[rows, other])


def _to_means(labels: np.ndarray, X: np.ndarray, means: np.ndarray) -> tuple:
    if len(means) == 0:
        none = np.full(len(X), -1)
        return none, np.full(len(X), np.inf), none, np.full(len(X), np.inf)
    D = np.sqrt(_squares(X, means))
    near, near_distance, second, second_distance = _nearest(D**2)
    inside = labels >= 0
    own = np.where(inside, D[np.arange(len(X)), np.maximum(labels, 0)], near_distance)
    first = near != labels
    return labels, own, np.where(first, near, second), np.where(first, near_distance, second_distance)


def _two_best(scores: np.ndarray, X: np.ndarray, means: np.ndarray) -> tuple:
    order = np.argsort(-scores, axis=1, kind="stable")
    D = np.sqrt(_squares(X, means))
    rows = np.arange(len(X))
    labels = order[:, 0]
    if scores.shape[1] < 2:
        return labels, D[rows, labels], np.full(len(X), -1), np.full(len(X), np.inf)
    return labels, D[rows, labels], order[:, 1], D[rows, order[:, 1]]


def _by_rows(rule: dict, X: np.ndarray, clusters: int) -> np.ndarray:
    """Squared distances to the nearest row of each cluster; of several neighbours, from their votes 1 / distance."""
    turn = _map(rule)
    D = _squares(turn(X), turn(_matrix(rule["rows"])))
    labels = np.array(rule["labels"])
    near = np.full((len(X), clusters), np.inf)
    for cluster in np.unique(labels):
        near[:, cluster] = D[:, labels == cluster].min(axis=1)
    k = min(rule.get("neighbors", 1), D.shape[1])
    if k < 2:
        return near
    nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
    votes = np.zeros_like(near)
    with np.errstate(divide="ignore"):
        shares = 1 / np.sqrt(np.take_along_axis(D, nearest, axis=1))
        for column in range(k):
            np.add.at(votes, (np.arange(len(X)), labels[nearest[:, column]]), shares[:, column])
        return np.where(votes > 0, votes**-2.0, near)


def _scores(rule: dict, X: np.ndarray) -> np.ndarray:
    scores = np.array(rule["bias"]) + X[:, rule["features"]] @ _matrix(rule["weights"])
    for levels in rule["levels"]:
        codes = _codes(levels["rule"], X)
        logs = _matrix(levels["logs"])
        scores += np.where((codes >= 0)[:, None], logs[:, codes].T, 0)
    return scores


def _codes(rule: dict, X: np.ndarray) -> np.ndarray:
    """The level of each row, -1 if it is missing or unknown."""
    if rule["kind"] == "sign":
        return (X[:, rule["feature"]] > 0).astype(int)
    if rule["kind"] == "values":
        hits = np.abs(X[:, rule["feature"], None] - np.array(rule["at"])) < rule["tolerance"]
        return np.where(hits.any(axis=1), hits.argmax(axis=1), -1)
    above = np.array(rule["at"]) * (1 - ROUNDING) if "at" in rule else ROUNDING
    hits = X[:, rule["first"] : rule["first"] + rule["count"]] > above
    return np.where(hits.sum(axis=1) == 1, hits.argmax(axis=1), -1)


def _mixture(rule: dict, X: np.ndarray) -> np.ndarray:
    mixture = rule["mixture"]
    centers, kind = _matrix(mixture["centers"]), mixture["covariance"]
    covariances = [_matrix(one) for one in mixture["covariances"]]
    logs = np.empty((len(X), len(centers)))
    for k, center in enumerate(centers):
        if kind in ("full", "tied"):
            L = np.linalg.cholesky(covariances[k if kind == "full" else 0])
            y = np.linalg.solve(L, (X - center).T).T
            size = np.log(np.diag(L)).sum()
        else:
            deviations = np.broadcast_to(np.sqrt(covariances[0][k]), center.shape)
            y = (X - center) / deviations
            size = np.log(deviations).sum()
        with np.errstate(divide="ignore"):
            logs[:, k] = np.log(mixture["weights"][k]) - size - (y**2).sum(axis=1) / 2
    return logs.argmax(axis=1)


def _kernel(rule: dict, X: np.ndarray) -> np.ndarray:
    model = rule["model"]
    rows, labels, weights = _matrix(model["rows"]), np.array(model["labels"]), np.array(model["weights"])
    kernel = model["kernel"]
    if kernel["kind"] == "gaussian":
        K = np.expm1(-_squares(X, rows) / kernel["sigma"] / kernel["sigma"] / 2)
    else:
        K = X @ rows.T
        if kernel["kind"] == "polynomial":
            K = (K / kernel["scale"] + kernel["offset"]) ** kernel["degree"]
    D = np.full((len(X), model["clusters"]), np.inf)
    for c, within in enumerate(model["within"]):
        own = labels == c
        if weights[own].sum() > 0:
            D[:, c] = within - 2 * (K[:, own] @ weights[own]) / weights[own].sum()
    return D.argmin(axis=1)


def _field(rule: dict, X: np.ndarray) -> np.ndarray:
    model = rule["model"]
    if model.get("kernel") is not None:
        raise ValueError("CPD-UML in a kernel space is placed by Kindred only")
    mean = np.array(model["mean"])
    Z = X - mean
    D = _squares(Z, _matrix(model["fieldCenters"]))
    moved = Z + np.exp(-D / model["sigma"] / model["sigma"] / 2) @ _matrix(model["fieldWeights"]) + mean
    return _squares(moved, _matrix(model["centers"])).argmin(axis=1)


def _density(rule: dict, X: np.ndarray) -> np.ndarray:
    model = rule["model"]
    rows, cores = _matrix(model["rows"]), np.array(model["cores"])
    D = _squares(X, rows)
    k = min(len(rows), 2 * model["minSamples"])
    nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
    labels = np.full(len(X), -1)
    for i, near in enumerate(nearest):
        if _same(X[i], rows[near[0]]):
            labels[i] = model["labels"][near[0]]
            continue
        distances = np.sqrt(D[i, near])
        reach = np.maximum(np.maximum(distances[min(k - 1, model["minSamples"])], cores[near]), distances)
        joined, jump = near[reach.argmin()], 1 / reach.min()
        cluster = model["rowClusters"][joined]
        if model["rowLambdas"][joined] > jump:
            while cluster > 0 and model["births"][cluster] >= jump:
                cluster = model["parents"][cluster]
        outside = cluster == 0 and jump < model["leastLambda"]
        labels[i] = -1 if outside else model["clusterLabels"][cluster]
    return labels


def _equal_rows(known: dict | None, X: np.ndarray):
    """The rows that equal one of these, with its label."""
    if known is None or not known["labels"]:
        return
    rows = _matrix(known["rows"])
    near = _squares(X, rows).argmin(axis=1)
    for i, j in enumerate(near):
        if _same(X[i], rows[j]):
            yield i, known["labels"][j]


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((np.abs(a - b) <= ROUNDING * np.maximum(1, np.abs(b))).all())


def _squares(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Squared distances, by differences: a product of the matrices would lose the small ones."""
    out = np.zeros((len(A), len(B)))
    for f in range(A.shape[1]):
        out += (A[:, f, None] - B[None, :, f]) ** 2
    return out


# The cells of a table.


class _Cells:
    """Columns by name, as numbers, texts or vectors."""

    def __init__(self, columns: list[dict], table: Any):
        self._table = {str(name): table[name] for name in table.keys()}
        self._readings = {column["name"]: column.get("reading", {}) for column in columns}
        self.rows = len(next(iter(self._table.values()), ()))

    def _values(self, name: str) -> list:
        if name not in self._table:
            return [None] * self.rows
        values = self._table[name]
        values = values.to_list() if hasattr(values, "to_list") else values.tolist() if hasattr(values, "tolist") else list(values)
        return [None if _missing(value) else value for value in values]

    def missing(self, name: str) -> np.ndarray:
        return np.array([value is None or value == "" for value in self._values(name)])

    def numbers(self, name: str) -> np.ndarray:
        return np.array([np.nan if value is None else _float(value) for value in self._values(name)])

    def texts(self, name: str) -> list:
        reading = self._readings.get(name, {})
        spellings, levels = reading.get("spellings", {}), reading.get("levels", [])
        return [_text(value, spellings, levels) for value in self._values(name)]

    def vectors(self, name: str, width: int) -> np.ndarray:
        parts = self._readings.get(name, {}).get("columns", [])
        if name not in self._table and parts and all(part in self._table for part in parts):
            return np.column_stack([self.numbers(part) for part in parts])
        out = np.full((self.rows, width), np.nan)
        for i, value in enumerate(self._values(name)):
            if value is not None and len(value) == width:
                out[i] = value
        return out


def _missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value == ""):
        return True
    return (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")


def _text(value: Any, spellings: dict, levels: list) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    place = None if text in levels else spellings.get(text.lower())
    return text if place is None else levels[place]


def _float(value: Any) -> float:
    """A number, or a date as days since 1970."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            try:
                number = float(np.datetime64(value.replace(" ", "T"), "ms").astype(np.int64)) / 86_400_000
            except ValueError:
                return math.nan
    elif hasattr(value, "isoformat"):
        number = float(np.datetime64(value, "ms").astype(np.int64)) / 86_400_000
    else:
        number = float(value)
    return number if math.isfinite(number) else math.nan


def _matrix(stored: dict) -> np.ndarray:
    return np.array(stored["data"], float).reshape(stored["rows"], stored["cols"])


if __name__ == "__main__":
    import csv
    import json
    import sys

    with open(sys.argv[1], encoding="utf-8") as file:
        saved = json.load(file)
    with open(sys.argv[2], encoding="utf-8-sig", newline="") as file:
        read = list(csv.DictReader(file))
    for label in place(saved, {name: [row[name] for row in read] for name in read[0]})["labels"] if read else []:
        print(label)
