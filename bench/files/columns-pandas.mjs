// Compares what is read of 200 random valid files with what pandas reads of them when it is told the delimiter, the
// decimal and thousands marks, the encoding and the formats of dates.
//
//     node --experimental-strip-types bench/files/columns-pandas.mjs [python]
//
// Node 22.6 or later; the Python needs pandas.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cellText, readColumns } from "../../src/data/index.ts";
import { randomFile } from "../../test/data/columns/randomFile.ts";

const python = process.argv[2] ?? "python3";
const folder = mkdtempSync(join(tmpdir(), "kindred-columns-"));
const files = [];
for (let seed = 1; seed <= 200; seed++) {
  const file = randomFile(seed);
  const path = join(folder, `${seed}.csv`);
  writeFileSync(path, file.bytes);
  const table = await readColumns(path);
  files.push({
    path,
    delimiter: file.delimiter,
    decimal: file.decimal,
    encoding: file.encoding.replace(" with mark", "-sig").replace(/^utf-16.*/, "utf-16"),
    columns: table.columns.map((column, j) => ({
      name: column.name,
      kind: file.columns[j].kind,
      order: column.reading.dateOrder,
      values: Array.from({ length: table.rows }, (_, row) => {
        const value = column.values?.[row];
        if (column.kind !== "number" && column.kind !== "date") return cellText(column, row) || null;
        return Number.isNaN(value) ? null : value;
      }),
    })),
  });
}
writeFileSync(join(folder, "read.json"), JSON.stringify(files));
const script = String.raw`
import json, sys, pandas as pd, numpy as np
na = ["", "NA", "n/a", "null", "-", "?", "#N/A", "NaN"]
wrong = cells = 0
for f in json.load(open(sys.argv[1] + "/read.json")):
    d = pd.read_csv(f["path"], sep=f["delimiter"], encoding=f["encoding"], dtype=str, na_values=na, keep_default_na=False)
    for c in f["columns"]:
        s = d[c["name"]]
        if c["kind"] == "number":
            mark = "," if f["decimal"] == "." else "."
            s = s.str.replace(r"[^\d.,eE+-]", "", regex=True).str.replace(r"(?<![\d.,])[eE].*$|[eE](?![-+\d]).*$", "", regex=True)
            s = s.str.replace(mark, "", regex=False).str.replace(",", ".", regex=False)
            peer = pd.to_numeric(s)
        elif c["kind"] == "date":
            t = pd.to_datetime(s, format="mixed", dayfirst=c["order"] == "dmy")
            peer = (t - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
        else:
            peer = s
        for a, b in zip(c["values"], peer):
            cells += 1
            if a is None or (isinstance(b, float) and b != b):
                wrong += not (a is None and b != b)
            elif isinstance(a, str): wrong += a.replace("\r\n", "\n").strip() != b.replace("\r\n", "\n").strip()
            else: wrong += not abs(a - b) <= 1e-9 * max(1, abs(a))
print(cells, "cells,", wrong, "read in another way by pandas", pd.__version__)
`;
const peer = join(folder, "peer.py");
writeFileSync(peer, script);
console.log(execFileSync(python, [peer, folder], { encoding: "utf8" }).trim());
rmSync(folder, { recursive: true });
