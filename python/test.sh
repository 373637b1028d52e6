#!/usr/bin/env bash
# Builds the wheel, installs it into an empty environment, and tests it there, also in JupyterLab: python3 with venv, a built
# dist/, and Chromium.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
unset KINDRED_NODE PYTHONPATH
export KINDRED_SHARED="${KINDRED_SHARED:-$(cd ../.. && pwd)/shared}"
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
venv/bin/python -m pytest tests -q -p no:cacheprovider "$@"
node "$here/../scripts/test-notebook.mjs" "$scratch/venv/bin/python"
