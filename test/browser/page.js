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

await fetch("/report", {
  method: "POST",
  body: JSON.stringify({ results, agent: navigator.userAgent }),
});
