// Level counts of a table on DuckDB: counted there (blocks of variables, pair by pair) against rows streamed here, in
// seconds of CPU and of the clock. What the route of levelCountsOnEngine stands on.
//
//   npm run build && node bench/engines/engines-levels.mjs [--rows 500000] [--columns 12,30,60,100] [--threads 2]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { duckdb, engineTable, levelCountsOnEngine } from "../../dist/engine/index.js";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "500000" },
    columns: { type: "string", default: "12,30,60,100" },
    threads: { type: "string", default: "2" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "kindred-levels-"));
const engine = await duckdb({ threads: Number(values.threads) });
try {
  for (const d of values.columns.split(",").map(Number)) {
    const file = join(folder, `${d}.parquet`);
    const normal = "sqrt(-2 * ln(1 - random())) * cos(6.283185307179586 * random())";
    const features = Array.from({ length: d }, (_, j) => `${normal} + i % 4 * ${(j % 5) / 10} as x${j}`);
    await engine.run(
      `copy (select ${features.join(", ")}, i % 4 as y from range(${values.rows}) r(i)) to '${file}'`,
    );
    const { table, statistics: columns } = await engineTable(
      engine,
      { query: `select * from '${file}'` },
      { label: "y" },
    );
    const seconds = {};
    const found = {};
    for (const route of ["push-down", "stream"]) {
      let best = { cpu: Infinity, wall: Infinity };
      for (let run = 0; run < 2; run++) {
        const before = process.cpuUsage();
        const start = performance.now();
        const { counts } = await levelCountsOnEngine(table, { columns, route });
        const { user, system } = process.cpuUsage(before);
        const own = { cpu: (user + system) / 1e6, wall: (performance.now() - start) / 1000 };
        if (own.cpu < best.cpu) best = own;
        found[route] = JSON.stringify(counts);
      }
      seconds[route] = best;
    }
    if (found["push-down"] !== found.stream) throw new Error(`the counts of ${d} columns differ`);
    const told = Object.entries(seconds).map(
      ([route, { cpu, wall }]) => `${route} ${cpu.toFixed(2)} s CPU, ${wall.toFixed(2)} s`,
    );
    const ratio = (seconds.stream.cpu / seconds["push-down"].cpu).toFixed(2);
    console.log(`${values.rows} rows x ${d}: ${told.join("; ")}; stream / push-down ${ratio} of CPU`);
  }
} finally {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
