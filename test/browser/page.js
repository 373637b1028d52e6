// Runs in the page (scripts/test-browser.mjs serves it): imports the library as it is built, without a bundler, and
// posts what passed and what failed.
const results = [];

async function test(name, body) {
  try {
    await body();
    results.push({ name });
  } catch (error) {
    results.push({ name, error: String(error?.stack ?? error) });
  }
}

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

await test("every entry point loads as an ES module", async () => {
  for (const room of ["matrix", "score", "data", "graph", "optimize", "metric", "cluster", "convex"]) {
    const entry = await import(`/dist/${room}/index.js`);
    expect(Object.keys(entry).length > 0, `${room} exports nothing`);
  }
});

await test("the page is isolated, so that memory can be shared", () => {
  expect(globalThis.crossOriginIsolated === true, "crossOriginIsolated is not true");
});

const kindred = await import("/dist/index.js").catch((error) => {
  results.push({ name: "kindred loads", error: String(error) });
});

if (kindred !== undefined) {
  const { adjustedRand, kmeans, matrix, multiply, namedData, random, readTable, scale, useEngine } = kindred;

  const uniform = (rows, cols, seed) => {
    const { uniform } = random(seed);
    return matrix(rows, cols, Float64Array.from({ length: rows * cols }, uniform));
  };

  const engines = ["simd", "relaxed"];
  for (const name of engines) {
    await test(`products of the ${name} kernel equal plain ones`, () => {
      for (const [m, k, n] of [
        [1, 1, 1],
        [7, 5, 3],
        [64, 64, 64],
        [130, 77, 91],
      ]) {
        const A = uniform(m, k, 1);
        const B = uniform(k, n, 2);
        useEngine("plain");
        const exact = multiply(A, B).data;
        useEngine(name);
        const fast = multiply(A, B).data;
        const worst = fast.reduce((most, value, i) => Math.max(most, Math.abs(value - exact[i])), 0);
        expect(worst <= 1e-13 * k, `${m} x ${k} x ${n}: off by ${worst}`);
      }
    });
  }
  useEngine("simd");

  await test("embedded wine is clustered", async () => {
    const { X, label } = await namedData("wine");
    const { labels, converged } = kmeans(scale(X, "zscore").X, { clusters: 3, seed: 1 });
    expect(converged, "did not converge");
    const score = adjustedRand(labels, label.values);
    expect(score > 0.85, `adjusted Rand ${score}`);
  });

  await test("a table is read from text", async () => {
    const bytes = new TextEncoder().encode("a,b,class\n1,2,x\n3,4,y\n");
    const table = await readTable(bytes, { label: "class" });
    expect(JSON.stringify([...table.X.data]) === "[1,2,3,4]", JSON.stringify([...table.X.data]));
    expect(table.label.values.join() === "x,y", table.label.values.join());
  });
}

await fetch("/report", {
  method: "POST",
  body: JSON.stringify({ results, agent: navigator.userAgent }),
});
