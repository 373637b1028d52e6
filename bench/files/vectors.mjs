// The same 30,000 vectors of 384 numbers from wide Parquet, Parquet lists, NDJSON arrays and .npy: CPU time of reading
// each, against the wide Parquet's, and whether all give the same numbers. DuckDB writes the files.
//
//     node --experimental-strip-types bench/files/vectors.mjs [rows] [dimensions]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { readColumns } from "../../src/data/columns/readColumns.ts";
import { inTurns, temporaryFolder } from "../measure.mjs";

const rows = Number(process.argv[2] ?? 30_000);
const dimensions = Number(process.argv[3] ?? 384);
const folder = temporaryFolder();
const at = (name) => join(folder, name);
await write();
const files = ["wide.parquet", "lists.parquet", "vectors.ndjson", "vectors.npy"];
const tasks = Object.fromEntries(files.map((name) => [name, () => readColumns(at(name))]));
await inTurns(1, tasks); // compiles
const least = await inTurns(3, tasks);
const dataOf = ({ result }) => result.columns.find(({ kind }) => kind === "vector").vectors.data;
const first = dataOf(least[files[0]]);
for (const [name, own] of Object.entries(least)) {
  const data = dataOf(own);
  if (data.length !== first.length || data.some((value, p) => value !== first[p]))
    throw new Error(`${name} differs`);
  const ratio = (own.cpu / least[files[0]].cpu).toFixed(2);
  console.log(name.padEnd(16), `${(1000 * own.cpu).toFixed(0)} ms CPU, ${ratio} of the wide Parquet's`);
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
