// The same 30,000 vectors of 384 numbers from wide Parquet, Parquet lists, NDJSON arrays and .npy: CPU time of reading
// each, against the wide Parquet's, and whether all give the same numbers. DuckDB writes the files.
//
//     node --experimental-strip-types bench/files/vectors.mjs [rows] [dimensions]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { readColumns } from "../../src/data/columns/readColumns.ts";

const rows = Number(process.argv[2] ?? 30_000);
const dimensions = Number(process.argv[3] ?? 384);
const folder = mkdtempSync(join(tmpdir(), "kindred-vectors-"));
const at = (name) => join(folder, name);
try {
  await write();
  const files = ["wide.parquet", "lists.parquet", "vectors.ndjson", "vectors.npy"];
  const least = new Map(files.map((name) => [name, Infinity]));
  let first;
  for (let k = 0; k < 4; k++) {
    for (const name of files) {
      const before = process.cpuUsage();
      const table = await readColumns(at(name));
      const { user, system } = process.cpuUsage(before);
      if (k > 0) least.set(name, Math.min(least.get(name), (user + system) / 1000));
      const { data } = table.columns.find(({ kind }) => kind === "vector").vectors;
      first ??= data;
      if (data.length !== first.length || data.some((value, p) => value !== first[p]))
        throw new Error(`${name} differs`);
    }
  }
  const wide = least.get(files[0]);
  for (const [name, ms] of least)
    console.log(name.padEnd(16), `${ms.toFixed(0)} ms CPU, ${(ms / wide).toFixed(2)} of the wide Parquet's`);
} finally {
  rmSync(folder, { recursive: true });
}

async function write() {
  const connection = await (await DuckDBInstance.create()).connect();
  const run = (sql) => connection.run(sql);
  await run("select setseed(0.5)");
  await run(
    `create table t as select list_transform(range(${dimensions}), x -> random() * 2 - 1) as v from range(${rows})`,
  );
  await run(`copy t to '${at("lists.parquet")}'`);
  await run(`copy t to '${at("vectors.ndjson")}' (format json)`);
  const columns = Array.from({ length: dimensions }, (_, j) => `v[${j + 1}] as v${j}`);
  await run(`copy (select ${columns.join(", ")} from t) to '${at("wide.parquet")}'`);
  const { data } = (await readColumns(at("lists.parquet"))).columns[0].vectors;
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`;
  const length = Math.ceil((10 + header.length + 1) / 64) * 64;
  const head = Buffer.alloc(length, " ");
  head.write("\x93NUMPY\x01\x00", "latin1");
  head.writeUInt16LE(length - 10, 8);
  head.write(header, 10, "latin1");
  head.write("\n", length - 1);
  writeFileSync(
    at("vectors.npy"),
    Buffer.concat([head, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]),
  );
}
