// DuckDB: what a pass over Parquet files costs, read alone, with MLCA streamed, and with MLCA's sums pushed down.
//
//   node bench/engines/engines.mjs                         files made in a temporary folder: 4 million rows, 20 columns, a label
//   node bench/engines/engines.mjs --columns               push-down against stream for 5 to 200 columns (thresholds of route.ts)
//   node bench/engines/engines.mjs --make FOLDER FILES     writes FILES files of 2 million rows, 320 MB each
//   node bench/engines/engines.mjs "FOLDER/*.parquet"      your own files, with a label called y
//
// "read alone" fetches every chunk of `select *` in this process and does nothing with it; read / MLCA is the share of
// that speed which streaming MLCA has. Times are CPU time of this process, the best of several interleaved runs.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { inTurns, peakMegabytes, temporaryFolder } from "../measure.mjs";
import { sources } from "../sources.mjs";

const {
  duckdb,
  engineBatches,
  engineMoments,
  mlcaFromStatistics,
  momentStatistics,
  openEngineTable,
  sourceFiles,
} = await sources("core/host.ts");

const instance = await DuckDBInstance.create(":memory:", { memory_limit: "400MB" });
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const [first, ...rest] = process.argv.slice(2);
if (first === "--make") await make(rest[0], Number(rest[1] ?? 64), 20, 2_000_000);
else if (first === "--columns") await byColumns(temporaryFolder());
else if (first === undefined) {
  const folder = temporaryFolder();
  await make(folder, 8, 20, 500_000);
  await bySize(`${folder}/*.parquet`);
} else await bySize(first);

async function bySize(pattern) {
  const files = await sourceFiles(pattern);
  console.log(
    "     rows  read alone us/row  MLCA streamed us/row  read/MLCA  own reader us/row  pushed down us/row  resident MB",
  );
  for (const share of [1 / 4, 1 / 2, 1]) {
    const some = files.slice(0, Math.max(1, Math.round(files.length * share)));
    const from = `read_parquet([${some.map((file) => `'${file}'`).join(", ")}])`;
    const engine = await duckdb({ memory: "400MB" });
    const table = await openEngineTable(engine, { query: `select * from ${from}` }, { label: "y" });
    const least = await inTurns(ROUNDS, {
      read: () => readAlone(`select * from ${from}`),
      streamed: async () => {
        const statistics = await momentStatistics(() => engineBatches(table));
        mlcaFromStatistics(statistics);
        return statistics.rows;
      },
      pushed: async () => {
        const { statistics } = await engineMoments(table, { route: "push-down" });
        mlcaFromStatistics(statistics);
        return statistics.rows;
      },
      // Once is enough of what takes so much longer.
      own: async (round) => {
        if (round > 0) return undefined;
        const statistics = await momentStatistics(some, { label: "y" });
        mlcaFromStatistics(statistics);
        return statistics.rows;
      },
    });
    await engine.close();
    const each = (name) => (least[name].cpu / least[name].result) * 1e6;
    console.log(
      [
        String(rows).padStart(9),
        each("read").toFixed(3).padStart(18),
        each("streamed").toFixed(3).padStart(21),
        (least.read.cpu / least.streamed.cpu).toFixed(2).padStart(10),
        each("own").toFixed(3).padStart(18),
        each("pushed").toFixed(3).padStart(19),
        peakMegabytes().toFixed(0).padStart(12),
      ].join(" "),
    );
  }
}

async function byColumns(folder) {
  console.log(" columns  read alone us/row  MLCA streamed us/row  pushed down us/row  pushed/streamed");
  for (const d of [3, 5, 8, 10, 15, 20, 50, 100, 200]) {
    const path = join(folder, `${d}.parquet`);
    const count = Math.min(1_000_000, Math.floor(2e7 / d));
    await makeFile(path, d, count);
    const engine = await duckdb({ memory: "1GB" });
    const table = await openEngineTable(engine, { query: `select * from '${path}'` }, { label: "y" });
    const by = (route) => async (round) => {
      if (route === "push-down" && d > 50 && round > 0) return undefined;
      return (await engineMoments(table, { route })).statistics.rows;
    };
    const least = await inTurns(ROUNDS, {
      read: () => readAlone(`select * from '${path}'`),
      streamed: by("stream"),
      pushed: by("push-down"),
    });
    await engine.close();
    rmSync(path);
    const each = (name) => ((least[name].cpu / least[name].result) * 1e6).toFixed(3);
    console.log(
      [
        String(d).padStart(8),
        each("read").padStart(18),
        each("streamed").padStart(21),
        each("pushed").padStart(19),
        (least.pushed.cpu / least.streamed.cpu).toFixed(2).padStart(16),
      ].join(" "),
    );
  }
}

async function readAlone(sql) {
  const connection = await instance.connect();
  const result = await connection.stream(sql);
  let rows = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    rows += chunk.rowCount;
  }
  connection.closeSync();
  return rows;
}

async function make(folder, files, d, rows) {
  mkdirSync(folder, { recursive: true });
  for (let k = 0; k < files; k++) {
    await makeFile(join(folder, `part${String(k).padStart(3, "0")}.parquet`), d, rows);
  }
}

/** Normal numbers about the means of five classes; random digits do not compress, so they are not compressed. */
async function makeFile(path, d, rows) {
  const engine = await duckdb({ memory: "700MB" });
  const normal = "sqrt(-2 * ln(1 - random())) * cos(6.283185307179586 * random())";
  const columns = Array.from({ length: d }, (_, j) => `${normal} + (3 * y + ${j}) % 7 as x${j}`);
  await engine.run(
    `copy (select ${columns.join(", ")}, 'k' || y as y from (select i % 5 as y from range(${rows}) r(i))) ` +
      `to '${path}' (format parquet, compression uncompressed)`,
  );
  await engine.close();
}
