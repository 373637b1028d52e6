"""The command: ``python -m kindred_clustering cluster customers.csv``, or ``kindred`` where its scripts are on the path."""

import subprocess
import sys

from ._node import HERE, node_path


def main() -> int:
    # In a checkout the library is two folders up, not inside the package.
    own = HERE / "node_modules" / "kindred" / "dist"
    dist = own if own.exists() else HERE.parents[1] / "dist"
    return subprocess.call([node_path(), str(dist / "cli" / "main.js"), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
