// CSV reader: 200000 x 20 numbers against papaparse, and with --big the memory that a 2 GB file needs.
//
//   node bench/files/csv.mjs
//   node bench/files/csv.mjs --big [gigabytes]     needs that much room in the temporary folder
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Papa from "papaparse";
import { random, readNumbers } from "../library.mjs";
import { inTurns, temporaryFolder } from "../measure.mjs";

const COLUMNS = 20;
const folder = temporaryFolder();
const big = process.argv.indexOf("--big");
if (big < 0) await compare();
else await measureMemory(Number(process.argv[big + 1] ?? 2));

async function compare() {
  for (const [kind, spell] of [
    ["8 digits", (x) => x.toFixed(7)],
    ["17 digits", (x) => String(x)],
  ]) {
    const path = join(folder, "numbers.csv");
    writeNumbers(path, spell, (rows) => rows >= 200_000);
    const bytes = await readFile(path);
    console.log(`200000 x ${COLUMNS} numbers of ${kind}, ${(bytes.length / 1e6).toFixed(0)} MB`);
    const { ours, theirs } = await inTurns(7, {
      ours: async () => (await readNumbers(path)).X.data,
      theirs: () => papaparse(bytes),
    });
    const ms = (seconds) => (1000 * seconds).toFixed(0);
    const speed = (bytes.length / 1e6 / ours.wall).toFixed(0);
    console.log(`  kindred   ${ms(ours.wall).padStart(6)} ms, CPU ${ms(ours.cpu)} ms, ${speed} MB/s`);
    console.log(`  papaparse ${ms(theirs.wall).padStart(6)} ms, CPU ${ms(theirs.cpu)} ms`);
    console.log(
      `  ratio     ${(theirs.wall / ours.wall).toFixed(1)}, CPU ${(theirs.cpu / ours.cpu).toFixed(1)}`,
    );
    const same =
      ours.result.length === theirs.result.length && ours.result.every((x, i) => x === theirs.result[i]);
    if (!same) throw new Error("the two readers do not agree");
  }
}

/** Text in, the same Float64Array out, as a user of papaparse would write it. */
function papaparse(bytes) {
  const { data } = Papa.parse(bytes.toString("utf8"), { skipEmptyLines: true });
  const values = new Float64Array((data.length - 1) * COLUMNS);
  for (let i = 1, p = 0; i < data.length; i++) for (const cell of data[i]) values[p++] = Number(cell);
  return values;
}

async function measureMemory(gigabytes) {
  const path = join(folder, "big.csv");
  writeNumbers(
    path,
    (x) => x.toFixed(7),
    (_, bytes) => bytes >= gigabytes * 1e9,
  );
  const size = statSync(path).size;
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const start = performance.now();
  // Progress is reported between reads; the kernel's own high-water mark covers the assembly, too.
  const { X } = await readNumbers(path, { onProgress: watch });
  const seconds = (performance.now() - start) / 1000;
  peak = Math.max(peak, process.resourceUsage().maxRSS * 1024);
  const matrix = X.data.byteLength;
  console.log(`${(size / 1e9).toFixed(2)} GB, ${X.rows} x ${X.cols}: ${seconds.toFixed(1)} s`);
  console.log(`  matrix ${(matrix / 1e6).toFixed(0)} MB, peak of the process ${(peak / 1e6).toFixed(0)} MB`);
  console.log(
    `  beyond the matrix: ${((peak - matrix) / 1e6).toFixed(0)} MB (${(before / 1e6).toFixed(0)} MB before)`,
  );
}

function writeNumbers(path, spell, enough) {
  const draw = random(1);
  const file = openSync(path, "w");
  let text = Array.from({ length: COLUMNS }, (_, j) => `x${j}`).join(",") + "\n";
  for (let rows = 0, bytes = 0; !enough(rows, bytes); rows++) {
    const cells = [];
    for (let j = 0; j < COLUMNS; j++) cells.push(spell(10 * draw.normal()));
    text += cells.join(",") + "\n";
    if (text.length > 1 << 20) {
      bytes += writeSync(file, text);
      text = "";
    }
  }
  writeSync(file, text);
  closeSync(file);
}
