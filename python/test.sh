#!/usr/bin/env bash
# Builds the wheel, installs it into an empty environment, and tests it there: python3 with venv, and a built dist/.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/venv"
pip="$scratch/venv/bin/pip --disable-pip-version-check --quiet"
$pip wheel . --no-deps --wheel-dir "$scratch"
$pip install "$(ls "$scratch"/*.whl)[test]"
# The tests run elsewhere, so that they import what was installed.
cp -r tests README.md "$scratch"
mkdir -p "$scratch/docs" && cp ../docs/how-to/python.md "$scratch/docs/"
cd "$scratch"
env -u KINDRED_NODE -u PYTHONPATH venv/bin/python -m pytest tests -q -p no:cacheprovider "$@"
