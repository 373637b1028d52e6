// The same tests in a worker, where several threads may be used as well.
import { expect, results, test } from "./check.js";

await test("kernels load in a worker", async () => {
  const { kernelTests, uniform } = await import("./kernels.js");
  await kernelTests("worker");

  const { gram, setThreads, startThreads, stopThreads, threads, useEngine } = await import("./library.js");
  await test("worker: several threads give the bits of one", async () => {
    useEngine("simd");
    const X = uniform(20_000, 64, 5);
    setThreads(1);
    const alone = gram(X).data;
    setThreads(3);
    await startThreads();
    expect(threads() === 3, `${threads()} threads`);
    const together = gram(X).data;
    stopThreads();
    expect(
      together.every((value, i) => Object.is(value, alone[i])),
      "the products differ",
    );
  });
});

postMessage(results);
