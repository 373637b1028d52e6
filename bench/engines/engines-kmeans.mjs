// A step of k-means on DuckDB: its sums made there (push-down) or of rows that come here (stream), and which of the two
// the default takes. CPU time of the process and wall time per row, best of three; wall times need an idle machine.
//   node bench/engines/engines-kmeans.mjs [rows = 400000] [threads = all]
import { cpus } from "node:os";
import { inTurns } from "../measure.mjs";
import { sources } from "../sources.mjs";

const { answer, duckdb, engineTable, kmeansOnEngine, kmeansRoute, matrix } = await sources("engine/route.ts");

const rows = Number(process.argv[2] ?? 400_000);
const threads = Number(process.argv[3] ?? cpus().length);
const engine = await duckdb({ threads });
console.log(`${engine.name}, ${threads} threads, ${rows} rows`);
console.log("d,K,push-down us/row,(cpu),stream us/row,(cpu),push-down / stream,default,default / faster");
for (const d of [5, 20, 50]) {
  const columns = Array.from({ length: d }, (_, f) => `random() * 3 + hash(i, ${f}) % 5 as f${f}`);
  await engine.run(`create or replace table t as select ${columns.join(", ")} from range(${rows}) r(i)`);
  const { table } = await engineTable(engine, { table: "t" });
  for (const K of [5, 20, 100]) {
    // Rows of the table, so that no cluster is empty.
    const { columns: first } = await answer(engine, `select * from t limit ${K}`);
    const initialCenters = matrix(
      K,
      d,
      Float64Array.from({ length: K * d }, (_, p) => first[p % d][Math.floor(p / d)]),
    );
    const by = (route) => () => kmeansOnEngine(table, { initialCenters, maxIterations: 1, route });
    const least = await inTurns(3, { "push-down": by("push-down"), stream: by("stream") });
    const micro = (seconds) => ((1e6 * seconds) / rows).toFixed(3);
    const chosen = kmeansRoute(engine, K, d);
    const [pushed, streamed] = [least["push-down"].wall, least.stream.wall];
    const both = Object.values(least).flatMap(({ wall, cpu }) => [micro(wall), `(${micro(cpu)})`]);
    const faster = least[chosen].wall / Math.min(pushed, streamed);
    console.log([d, K, ...both, (pushed / streamed).toFixed(2), chosen, faster.toFixed(2)].join(","));
  }
}
await engine.close();
