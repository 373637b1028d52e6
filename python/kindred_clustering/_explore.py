"""The explorer in a notebook: JupyterLab, Visual Studio Code, marimo."""

from __future__ import annotations

import csv
import io
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from ._estimator import Kindred
from ._node import HERE, KindredError
from ._rows import _columns, _missing, is_table

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}

FRAME = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.src = model.get("address");
  frame.title = "Kindred explorer";
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8884; border-radius: 8px`;
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.kindred === undefined) return;
    for (const [name, value] of Object.entries(data.kindred)) model.set(name, value);
    model.save_changes();
  };
  window.addEventListener("message", hear);
  el.append(frame);
  return () => window.removeEventListener("message", hear);
}
export default { render };
"""


class Explorer(anywidget.AnyWidget):
    """What is on the screen of the explorer, kept up to date; ``observe`` tells of changes.

    ``cluster`` is the cluster that was clicked (None: none), ``selected`` and ``others`` are the rows of the two
    selections, ``labels`` and ``names`` are the clusters, ``hints`` is what was said of the rows.
    """

    _esm = FRAME
    address = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(720).tag(sync=True)
    rows = traitlets.Int(0).tag(sync=True)
    method = traitlets.Unicode("").tag(sync=True)
    labels = traitlets.List().tag(sync=True)
    names = traitlets.List().tag(sync=True)
    cluster = traitlets.Int(None, allow_none=True).tag(sync=True)
    selected = traitlets.List().tag(sync=True)
    others = traitlets.List().tag(sync=True)
    hints = traitlets.Dict().tag(sync=True)

    def labels_array(self) -> np.ndarray:
        """The cluster of each row, -1 for none."""
        return np.array(self.labels, np.int32)

    def model(self, n_clusters: int | None = None, **parameters: Any) -> Kindred:
        """An estimator with the hints of the screen; fit it on the same rows."""
        return Kindred(n_clusters, hints={**self.hints} if any(self.hints.values()) else None, **parameters)


def explore(X: Any, name: str = "table", height: int = 720) -> Explorer:
    """Shows the explorer with these rows; nothing leaves this machine.

    The page comes from a small server of this process on the loopback address, so the browser must run on the same machine.

    >>> import pandas as pd
    >>> from kindred_clustering import explore
    >>> shown = explore(pd.DataFrame({"a": [1, 2, 9], "b": [1, 1, 8]}))
    >>> shown.cluster is None
    True
    """
    return Explorer(address=_serve(f"{name}.csv", _text(X)), height=height)


def _text(X: Any) -> bytes:
    if not is_table(X):
        X = np.asarray(X)
        if X.ndim != 2:
            raise KindredError(f"rows are a table or an array of two dimensions, got {X.ndim}")
        X = {f"c{column}": X[:, column] for column in range(X.shape[1])}
    names, values = zip(*_columns(X))
    cells = [column.to_list() if hasattr(column, "to_list") else column.tolist() for column in values]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row] for row in zip(*cells))
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return json.dumps(list(map(float, value)))
    return "" if _missing(value) else value


def _serve(name: str, data: bytes) -> str:
    """Serves the page and one file at an address that cannot be guessed, until this process ends."""
    own = HERE / "node_modules" / "kindred" / "dist" / "explorer"
    folder = own if own.exists() else HERE.parents[1] / "dist" / "explorer"
    root = f"/{secrets.token_urlsafe(18)}/"
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    made = {"served.json": (json.dumps({"name": name}).encode(), "application/json"), "data": (data, "text/csv")}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            host = self.headers.get("Host", "").split(":")[0]
            asked = path[len(root) :] or "index.html" if path.startswith(root) else None
            if host not in ("127.0.0.1", "localhost") or asked is None or (asked not in files and asked not in made):
                self.send_error(404)
                return
            content, kind = made.get(asked) or _read(files[asked])
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}{root}"


def _read(path: Path) -> tuple[bytes, str]:
    return path.read_bytes(), TYPES.get(path.suffix, "application/octet-stream")
