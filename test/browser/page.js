// Runs in the page (scripts/test-browser.mjs serves it): imports the library as it is built, without a bundler, on the
// page's own thread and in a worker, and posts what passed and what failed.
import { expect, results, test } from "./check.js";

await test("every entry point loads as an ES module", async () => {
  const rooms = ["matrix", "score", "data", "graph", "optimize", "metric", "cluster", "recipes"];
  for (const room of rooms) {
    const entry = await import(`../../dist/${room}/index.js`);
    expect(Object.keys(entry).length > 0, `${room} exports nothing`);
  }
});

await test("the page is isolated, so that memory can be shared", () => {
  expect(globalThis.crossOriginIsolated === true, "crossOriginIsolated is not true");
});

await test("the kernels work on the page's own thread", async () => {
  const { kernelTests } = await import("./kernels.js");
  await kernelTests("page");
});

await test("a table in, clusters out, a model that places rows: the program of a page with a bundler", async () => {
  const { runProgram } = await import("../../.cache/browser/bundled.js");
  const lines = await runProgram();
  expect(lines.length === 3, lines.join("; "));
  expect(lines[2] === "120 true", lines[2]);
});

await test("models of every method that were made elsewhere place rows as they did there", async () => {
  const { misplacing } = await import("../../.cache/browser/bundled.js");
  const models = await (await fetch("../../.cache/browser/models.json")).json();
  expect(Object.keys(models).length > 25, "there are too few models");
  const wrong = await misplacing(models);
  expect(wrong.length === 0, wrong.join(", "));
});

await test("the kernels work in a worker", async () => {
  const worker = new Worker("worker.js", { type: "module" });
  const found = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  worker.terminate();
  results.push(...found);
});

await test("a thread clusters while the page goes on, and an abort ends it", async () => {
  const [{ cluster }, here] = await Promise.all([
    import("../../dist/worker/index.js"),
    import("../../dist/index.js"),
  ]);
  const rows = Array.from({ length: 2000 }, (_, i) =>
    Array.from({ length: 6 }, (_, f) => Math.sin(i * (f + 1)) + (i % 4) * (f % 3)),
  );
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const start = performance.now();
  let reports = 0;
  const found = await cluster(rows, { onProgress: () => void reports++ });
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  const same = JSON.stringify(found) === JSON.stringify(await here.cluster(rows));
  expect(same, "the thread gives another result");
  expect(reports > 0 && ticks > 3, `${reports} reports, ${ticks} ticks in ${seconds} s`);
  const abort = new AbortController();
  let from;
  const late = await cluster(rows, {
    signal: abort.signal,
    onProgress() {
      from ??= performance.now();
      abort.abort();
    },
  }).catch(() => performance.now() - from);
  expect(late >= 0, "the abort did not end it");
  let asked;
  const best = await cluster(rows, {
    onProgress() {
      asked ??= performance.now();
      return false;
    },
  });
  const after = Math.round(performance.now() - asked);
  expect(best.labels.length === 2000, "there is no best so far");
  results.push({
    name: `thread: ${ticks} ticks in ${seconds.toFixed(1)} s, abort ${late.toFixed(1)} ms, best so far ${after} ms`,
  });
});

await fetch("/report", {
  method: "POST",
  body: JSON.stringify({ results, agent: navigator.userAgent }),
});
