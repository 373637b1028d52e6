// What a program feels: microseconds for one row, ticks of a timer while a thread clusters, and how soon an abort ends it.
//
//     npm run build && node bench/programs.mjs
import { exampleText } from "../dist/data/index.js";
import { asTable, cluster, namedData, readTable } from "../dist/index.js";
import { cluster as clusterInThread } from "../dist/worker/index.js";

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** CPU microseconds of one call, the median of several rounds of many. */
function perRow(score, rows) {
  const round = () => {
    const start = cpu();
    let calls = 0;
    while (cpu() - start < 200) for (const row of rows) calls += score(row) === undefined ? 0 : 1;
    return (1000 * (cpu() - start)) / calls;
  };
  round();
  return median(Array.from({ length: 5 }, round)).toFixed(1);
}

const wine = asTable(await namedData("wine"));
const numbers = await cluster(wine, { method: "kmeans", clusters: 3 });
const wineRows = Array.from({ length: wine.rows }, (_, i) =>
  Object.fromEntries(
    wine.columns.map(({ name, values, levels, codes }) => [name, values?.[i] ?? levels?.[codes[i]]]),
  ),
);
console.log(`scorer, 13 numbers: ${perRow(numbers.scorer(), wineRows)} us a row`);

const text = exampleText("customers");
const mixed = await cluster(await readTable(new TextEncoder().encode(text)), {
  method: "kmeans",
  clusters: 4,
});
const [head, ...lines] = text.trim().split("\n");
const names = head.split(",");
const customers = lines.map((line) => Object.fromEntries(line.split(",").map((cell, f) => [names[f], cell])));
console.log(
  `scorer, texts of numbers, dates, levels and gaps: ${perRow(mixed.scorer(), customers)} us a row`,
);

const rows = Array.from({ length: 5000 }, (_, i) =>
  Array.from({ length: 10 }, (__, f) => 3 * (i % 4) * (f % 3) + Math.sin(i * (f + 1))),
);
let ticks = 0;
const timer = setInterval(() => ticks++, 10);
const start = performance.now();
await clusterInThread(rows);
clearInterval(timer);
const seconds = (performance.now() - start) / 1000;
console.log(`5000 x 10 in a thread: ${ticks} ticks of 10 ms in ${seconds.toFixed(2)} s`);

const late = [];
for (let k = 0; k < 9; k++) {
  const abort = new AbortController();
  let from;
  const signal = abort.signal;
  const onProgress = () => {
    from ??= performance.now();
    abort.abort();
  };
  await clusterInThread(rows, { signal, onProgress }).catch(() => late.push(performance.now() - from));
}
console.log(
  `abort to rejection: median ${median(late).toFixed(1)} ms, longest ${Math.max(...late).toFixed(1)} ms`,
);
