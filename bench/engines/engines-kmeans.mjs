// A step of k-means on DuckDB: its sums made there (push-down) or of rows that come here (stream), and which of the two
// the default takes. CPU time of the process and wall time per row, best of three; wall times need an idle machine.
//   node bench/engines/engines-kmeans.mjs [rows = 400000] [threads = all]
import { cpus } from "node:os";
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
    const time = {};
    const cpu = {};
    for (const route of ["push-down", "stream"]) {
      time[route] = cpu[route] = Infinity;
      for (let run = 0; run < 3; run++) {
        const before = process.cpuUsage();
        const start = performance.now();
        await kmeansOnEngine(table, { initialCenters, maxIterations: 1, route });
        const used = process.cpuUsage(before);
        time[route] = Math.min(time[route], (1000 * (performance.now() - start)) / rows);
        cpu[route] = Math.min(cpu[route], (used.user + used.system) / rows);
      }
    }
    const chosen = kmeansRoute(engine, K, d);
    const faster = Math.min(time["push-down"], time.stream);
    const both = ["push-down", "stream"].flatMap((route) => [
      time[route].toFixed(3),
      `(${cpu[route].toFixed(3)})`,
    ]);
    const ratios = [(time["push-down"] / time.stream).toFixed(2), chosen, (time[chosen] / faster).toFixed(2)];
    console.log([d, K, ...both, ...ratios].join(","));
  }
}
await engine.close();
