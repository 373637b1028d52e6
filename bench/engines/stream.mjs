// Streaming: time per row against the number of rows, and the memory it takes.
//
//   node bench/engines/stream.mjs                                 CSV files made in a temporary folder, about 400 MB in all
//   node bench/engines/stream.mjs "data/*.parquet" --label y      your own files
//
// Each line takes the first files only. Times are CPU time of this process; "read" is the loop over the batches alone, so
// mlca / read is what learning adds to reading. Memory is the resident set, its largest value at the end of a batch.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, timed } from "../measure.mjs";
import { sources } from "../sources.mjs";

const {
  groupedSumsAccumulator,
  labelledMoments,
  matrix,
  mlcaFromMoments,
  momentAccumulator,
  random,
  rowBatches,
  sourceFiles,
} = await sources("core/host.ts", "scale/passes/groupedSums.ts");

const [pattern, ...rest] = process.argv.slice(2);
const own = pattern !== undefined;
const label = own ? rest[rest.indexOf("--label") + 1] : "y";
const CLUSTERS = 20;
const files = own ? await sourceFiles(pattern) : made();
await warmUp(files[0]);
console.log("    rows  columns  read us/row  mlca us/row  mlca/read  k-means pass us/row  largest MB");
for (const share of [1 / 8, 1 / 4, 1 / 2, 1]) {
  const some = files.slice(0, Math.max(1, Math.round(files.length * share)));
  const reading = await measured(some, () => {});
  const { names } = reading;
  const moments = momentAccumulator(names);
  const learning = await measured(some, ({ X, label: y }) => moments.add(X, y.values));
  mlcaFromMoments(labelledMoments(moments.result()));
  const sums = groupedSumsAccumulator(await centersOf(some[0]));
  const clustering = await measured(some, ({ X }) => sums.add(X));
  const each = (run) => (1e6 * run.seconds) / run.rows;
  console.log(
    [
      String(reading.rows).padStart(8),
      String(names.length).padStart(8),
      each(reading).toFixed(2).padStart(12),
      each(learning).toFixed(2).padStart(12),
      (learning.seconds / reading.seconds).toFixed(2).padStart(10),
      each(clustering).toFixed(2).padStart(20),
      Math.max(reading.memory, learning.memory, clustering.memory).toFixed(0).padStart(11),
    ].join(" "),
  );
}

async function measured(files, use) {
  const found = { rows: 0, memory: 0, names: [] };
  const { cpu: seconds } = await timed(async () => {
    for await (const batch of rowBatches(files, { label })) {
      use(batch);
      found.rows += batch.X.rows;
      found.names = batch.names;
      found.memory = Math.max(found.memory, process.memoryUsage.rss() / 2 ** 20);
    }
  });
  return { ...found, seconds };
}

/** Code that runs the first time is slower, whatever it does. */
async function warmUp(file) {
  let moments;
  let batches = 0;
  for await (const { X, label: y, names } of rowBatches(file, { label })) {
    moments ??= momentAccumulator(names);
    moments.add(X, y.values);
    if (++batches === 20) break;
  }
}

/** Rows of the first batch: where the centres are does not matter for the time of a pass. */
async function centersOf(file) {
  for await (const { X } of rowBatches(file, { label })) {
    return matrix(CLUSTERS, X.cols, X.data.slice(0, CLUSTERS * X.cols));
  }
}

/** One text under several names: the reader does not know. */
function made() {
  const folder = temporaryFolder();
  const { normal, integer } = random(1);
  const columns = 20;
  const lines = [`${Array.from({ length: columns }, (_, j) => `x${j}`).join(",")},y`];
  for (let i = 0; i < 150_000; i++) {
    const y = integer(5);
    const cells = Array.from({ length: columns }, (_, j) => (normal() + ((3 * y + j) % 7)).toFixed(6));
    lines.push(`${cells.join(",")},k${y}`);
  }
  const text = `${lines.join("\n")}\n`;
  return Array.from({ length: 16 }, (_, k) => {
    const path = join(folder, `part${k}.csv`);
    writeFileSync(path, text);
    return path;
  });
}
