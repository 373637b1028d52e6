// Level counts of a table on DuckDB: counted there (blocks of variables, pair by pair) against rows streamed here, in
// seconds of CPU and of the clock. What the route of levelCountsOnEngine stands on.
//
//   npm run build && node bench/engines/engines-levels.mjs [--rows 500000] [--columns 12,30,60,100] [--threads 2]
import { join } from "node:path";
import { duckdb, engineTable, levelCountsOnEngine } from "../../dist/engine/index.js";
import { inTurns, settings, temporaryFolder } from "../measure.mjs";

const { rows, columns: widths, threads } = settings({ rows: 500_000, columns: "12,30,60,100", threads: 2 });
const folder = temporaryFolder();
const engine = await duckdb({ threads });
try {
  for (const d of widths.split(",").map(Number)) {
    const file = join(folder, `${d}.parquet`);
    const normal = "sqrt(-2 * ln(1 - random())) * cos(6.283185307179586 * random())";
    const features = Array.from({ length: d }, (_, j) => `${normal} + i % 4 * ${(j % 5) / 10} as x${j}`);
    await engine.run(
      `copy (select ${features.join(", ")}, i % 4 as y from range(${rows}) r(i)) to '${file}'`,
    );
    const { table, statistics: columns } = await engineTable(
      engine,
      { query: `select * from '${file}'` },
      { label: "y" },
    );
    const by = (route) => () => levelCountsOnEngine(table, { columns, route });
    const least = await inTurns(2, { "push-down": by("push-down"), stream: by("stream") });
    const [pushed, streamed] = Object.values(least).map(({ result }) => JSON.stringify(result.counts));
    if (pushed !== streamed) throw new Error(`the counts of ${d} columns differ`);
    const told = Object.entries(least).map(
      ([route, { cpu, wall }]) => `${route} ${cpu.toFixed(2)} s CPU, ${wall.toFixed(2)} s`,
    );
    const ratio = (least.stream.cpu / least["push-down"].cpu).toFixed(2);
    console.log(`${rows} rows x ${d}: ${told.join("; ")}; stream / push-down ${ratio} of CPU`);
  }
} finally {
  await engine.close();
}
