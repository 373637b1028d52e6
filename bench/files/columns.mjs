// Columns of 1 million rows x 20 mixed columns: the time of reading them as text (papaparse: every cell a string), of
// reading their cells, and of deciding what they are. CPU times count on a shared machine.
//
//     node --experimental-strip-types --max-old-space-size=8000 bench/files/columns.mjs [rows]
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Papa from "papaparse";
import { random } from "../../src/core/index.ts";
import { memoryLimit } from "../../src/data/cells/memoryLimit.ts";
import { readCells } from "../../src/data/files/openCells.ts";
import { describeColumns } from "../../src/data/columns/describeColumns.ts";
import { typeTable } from "../../src/data/columns/typeTable.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), "kindred-columns-"));
const path = join(folder, "mixed.csv");
try {
  write();
  const repeats = 3;
  const times = { papaparse: [], cells: [], kinds: [] };
  let table;
  for (let k = 0; k < repeats; k++) {
    times.papaparse.push((await timed(() => Papa.parse(readFileSync(path, "utf8")).data.length)).ms);
    const read = await timed(() => readCells(path, { memory: memoryLimit() }));
    const typed = await timed(() => typeTable(read.value, {}));
    table = typed.value;
    times.cells.push(read.ms);
    times.kinds.push(typed.ms);
  }
  console.log(describeColumns(table));
  const least = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, Math.min(...all)]));
  for (const [name, ms] of Object.entries(least)) console.log(name.padEnd(12), `${ms.toFixed(0)} ms CPU`);
  console.log("reading and typing against text:", ((least.cells + least.kinds) / least.papaparse).toFixed(2));
  console.log("reading and typing against cells:", ((least.cells + least.kinds) / least.cells).toFixed(2));
} finally {
  rmSync(folder, { recursive: true });
}

async function timed(work) {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}

function write() {
  const draw = random(1);
  const pick = (values) => values[draw.integer(values.length)];
  const two = (value) => String(value).padStart(2, "0");
  const words = ["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma", "theta", "lambda", "zeta"];
  const file = openSync(path, "w");
  let lines =
    "order_id,row,city,plan,active,rating,priority,price,share,weight,a,b,c,d,e,count,day,ts,temp,note\n";
  for (let i = 0; i < rows; i++) {
    const price = Math.exp(6 + 1.5 * draw.normal()).toFixed(2);
    const grouped = price.replaceAll(/\B(?=(?:\d{3})+\.)/g, ",");
    const cells = [
      `O-${1e7 + draw.integer(9e6)}`,
      i,
      pick(["Berlin", "Paris", "Rome", "Madrid", "Oslo", "Vienna", "Prague", "Lisbon"]),
      pick(["free", "basic", "pro"]),
      pick(["yes", "no"]),
      1 + draw.integer(5),
      pick(["low", "medium", "high"]),
      grouped.includes(",") ? `"$${grouped}"` : `$${grouped}`,
      `${(100 * draw.uniform()).toFixed(1)} %`,
      `${(10 * draw.uniform()).toFixed(2)} kg`,
      ...[1, 10, 100, 1000, 10_000].map((scale) => (scale * draw.normal()).toFixed(4)),
      draw.integer(100),
      `${two(1 + draw.integer(28))}/${two(1 + draw.integer(12))}/${2018 + draw.integer(6)}`,
      new Date(1.7e12 + 1000 * draw.integer(3e7)).toISOString().slice(0, 19),
      draw.uniform() < 0.05 ? "NA" : (20 + 5 * draw.normal()).toFixed(1),
      `${pick(words)} ${pick(words)} ${pick(words)} ${pick(words)}`,
    ];
    lines += `${cells.join(",")}\n`;
    if (lines.length > 1 << 20) {
      writeSync(file, lines);
      lines = "";
    }
  }
  writeSync(file, lines);
  closeSync(file);
}
