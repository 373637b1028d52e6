import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeWorker, solutionOf, tableOf } from "./fakeWorker.ts";

/*
 * The page and its worker as a state machine: whatever the order of questions, withdrawals, answers and failures, the
 * page shows work exactly while a question is under way, and ends with what the settings ask for or with a problem.
 */
interface Page {
  readonly asking: typeof import("../../explorer/app/asking.ts");
  readonly data: typeof import("../../explorer/app/data/data.ts");
  readonly history: typeof import("../../explorer/app/history.ts");
  readonly known: typeof import("../../explorer/app/known.ts");
  readonly solving: typeof import("../../explorer/app/solve/solving.ts");
}

beforeEach(() => {
  vi.resetModules();
  FakeWorker.all = [];
  FakeWorker.refuses = undefined;
  FakeWorker.cannotPost = undefined;
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("location", { hash: "" });
  vi.stubGlobal("history", { replaceState: () => {}, pushState: () => {} });
  vi.stubGlobal("document", { title: "" });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("fetch", () => Promise.reject(new Error("there is no server")));
});

afterEach(() => vi.unstubAllGlobals());

/** The page as main.tsx starts it, without what it draws. */
async function load(hash = ""): Promise<Page> {
  vi.stubGlobal("location", { hash });
  const page = {
    asking: await import("../../explorer/app/asking.ts"),
    data: await import("../../explorer/app/data/data.ts"),
    history: await import("../../explorer/app/history.ts"),
    known: await import("../../explorer/app/known.ts"),
    solving: await import("../../explorer/app/solve/solving.ts"),
  };
  const { start } = await import("../../explorer/app/session.ts");
  start();
  await settled();
  return page;
}

/** Every promise that can go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** A page with a table and its clustering into three. */
async function opened(): Promise<Page> {
  const page = await load("#data=t&k=3");
  FakeWorker.newest.hello();
  await settled();
  FakeWorker.newest.answer("open", tableOf(9));
  await settled();
  FakeWorker.newest.answer("solve", solutionOf(3));
  await settled();
  expect(page.known.solution.value?.sizes.length).toBe(3);
  expect(page.known.work.value).toBeUndefined();
  return page;
}

/** Lets a fresh worker start, if there is one, and answer the clustering it was asked for. */
async function solveNow(clusters: number): Promise<void> {
  FakeWorker.newest.hello();
  await settled();
  FakeWorker.newest.answer("solve", solutionOf(clusters));
  await settled();
}

describe("withdrawn work leaves nothing behind", () => {
  test("undo to a remembered clustering while another is computed", async () => {
    const { history, known } = await opened();
    history.change({ clusters: 4 });
    await settled();
    expect(known.work.value?.label).toContain("Clustering");
    history.undo();
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.solution.value?.sizes.length).toBe(3);
    expect(known.problem.value).toBeUndefined();
  });

  test("three steps undone at once, of which the middle one was never computed", async () => {
    const { history, known } = await opened();
    history.change({ clusters: 4 });
    await settled();
    await solveNow(4);
    history.change({ off: ["a"] });
    history.change({ scale: "minmax" });
    await settled();
    await solveNow(4);
    expect(known.work.value).toBeUndefined();
    for (let step = 0; step < 3; step++) history.undo();
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.solution.value?.sizes.length).toBe(3);
  });

  test("the clusterpath left by undo", async () => {
    const { history, known } = await opened();
    history.change({ gamma: 1 });
    await settled();
    expect(known.work.value?.label).toContain("clusterpath");
    history.undo();
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.path.value).toBeUndefined();
  });

  test("data closed while they are read", async () => {
    const { data, known } = await load("#data=t&k=3");
    FakeWorker.newest.hello();
    await settled();
    expect(known.work.value?.label).toContain("Reading");
    data.closeData();
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.table.value).toBeUndefined();
  });

  test("stopped by hand, then tried again", async () => {
    const { history, known, solving } = await opened();
    history.change({ clusters: 4 });
    await settled();
    known.work.value!.cancel();
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.problem.value?.text).toMatch(/^Stopped/);
    solving.clusterNow();
    await solveNow(4);
    expect(known.solution.value?.sizes.length).toBe(4);
    expect(known.problem.value).toBeUndefined();
  });
});

describe("two things under way", () => {
  test("the work of one is shown until it is done, although the other has ended", async () => {
    const { history, known } = await opened();
    history.change({ gamma: 1 });
    await settled();
    history.change({ clusters: 4 });
    await settled();
    FakeWorker.newest.hello();
    FakeWorker.newest.answer("path", { steps: [{ gamma: 1 }], axes: ["", ""], warnings: [] });
    await settled();
    expect(known.work.value?.label).toContain("Clustering");
    FakeWorker.newest.answer("solve", solutionOf(4));
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.path.value?.steps.length).toBe(1);
  });

  test("the pinned clustering becomes the wish while it is computed", async () => {
    const { history, known } = await opened();
    const { method, seed, own, same, different, statements } = history.settings.value;
    history.change({ pinned: { method, clusters: 5, seed, own, same, different, statements } });
    await settled();
    expect(known.work.value?.label).toContain("pinned");
    history.change({ clusters: 5 });
    await solveNow(5);
    expect(known.solution.value?.sizes.length).toBe(5);
    expect(known.pinned.value?.sizes.length).toBe(5);
    expect(known.work.value).toBeUndefined();
  });

  test("a file read in another way before the first reading was done: the last wish counts", async () => {
    const { history, known } = await load("#data=t&k=3");
    FakeWorker.newest.hello();
    await settled();
    const first = FakeWorker.newest;
    const { id } = first.asked("open")!;
    history.change({ reading: { as: { b: "category" } } });
    await settled();
    FakeWorker.newest.hello();
    FakeWorker.newest.answer("open", tableOf(7));
    await settled();
    first.say({ type: "answer", id, answer: tableOf(9) });
    await settled();
    expect(known.table.value?.rows).toBe(7);
    await solveNow(3);
    expect(known.work.value).toBeUndefined();
  });

  test("data that could not be read any more say nothing about those that took their place", async () => {
    const { data, known } = await load("#data=t&k=3");
    FakeWorker.newest.hello();
    await settled();
    const first = FakeWorker.newest;
    const { id } = first.asked("open")!;
    data.openNamed("u");
    await settled();
    first.say({ type: "failure", id, message: "t is broken." });
    await settled();
    expect(known.problem.value).toBeUndefined();
    expect(known.work.value?.label).toContain("Reading u");
  });
});

describe("the start of a worker", () => {
  test("questions wait for it, and those withdrawn meanwhile are never put", async () => {
    const { history, known } = await opened();
    history.change({ clusters: 4 });
    history.change({ clusters: 5 });
    const starting = FakeWorker.newest;
    const workers = FakeWorker.all.length;
    history.change({ clusters: 6 });
    history.change({ clusters: 7 });
    await settled();
    expect(starting.posted).toEqual([]);
    expect(FakeWorker.all.length).toBe(workers);
    starting.hello();
    await settled();
    expect(starting.posted.filter(({ kind }) => kind === "solve").length).toBe(1);
    starting.answer("solve", solutionOf(7));
    await settled();
    expect(known.solution.value?.sizes.length).toBe(7);
    expect(known.work.value).toBeUndefined();
  });

  test("one that cannot be loaded ends in a problem, is not tried for ever, and is tried again when asked", async () => {
    const { history, known, solving } = await opened();
    history.change({ clusters: 4 });
    history.change({ clusters: 5 });
    const workers = FakeWorker.all.length;
    FakeWorker.newest.breakOff();
    await settled();
    expect(FakeWorker.all.length).toBe(workers);
    expect(known.work.value).toBeUndefined();
    expect(known.problem.value?.about).toBe("method");
    expect(known.problem.value?.text).toMatch(/could not start/);
    solving.clusterNow();
    await solveNow(5);
    expect(FakeWorker.all.length).toBe(workers + 1);
    expect(known.solution.value?.sizes.length).toBe(5);
    expect(known.problem.value).toBeUndefined();
  });

  test("a browser that refuses workers is told in words", async () => {
    FakeWorker.refuses = new Error("refused by the content policy");
    const { known, data } = await load("#data=t&k=3");
    expect(known.problem.value?.text).toMatch(/could not start.*content policy/);
    expect(known.work.value).toBeUndefined();
    FakeWorker.refuses = undefined;
    data.openNamed("u");
    await settled();
    FakeWorker.newest.hello();
    FakeWorker.newest.answer("open", tableOf(5, "u"));
    await solveNow(3);
    expect(known.solution.value?.sizes.length).toBe(3);
    expect(known.problem.value).toBeUndefined();
  });
});

describe("a worker that breaks", () => {
  test("in the middle of the work: a problem, and another worker that is ready", async () => {
    const { history, known, solving } = await opened();
    history.change({ clusters: 4 });
    await settled();
    const broken = FakeWorker.newest;
    broken.breakOff("out of memory");
    await settled();
    expect(broken.ended).toBe(true);
    expect(FakeWorker.newest).not.toBe(broken);
    expect(known.work.value).toBeUndefined();
    expect(known.problem.value?.text).toMatch(/failed \(out of memory\)/);
    solving.clusterNow();
    await solveNow(4);
    expect(known.solution.value?.sizes.length).toBe(4);
  });

  test("an answer that cannot be read ends in a problem too", async () => {
    const { history, known } = await opened();
    history.change({ clusters: 4 });
    await settled();
    FakeWorker.newest.dispatchEvent(new MessageEvent("messageerror"));
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.problem.value?.text).toMatch(/computation failed/);
  });

  test("after it was replaced: what it still says is not heard", async () => {
    const { history, known } = await opened();
    history.change({ clusters: 4 });
    await settled();
    const old = FakeWorker.newest;
    history.change({ clusters: 5 });
    await settled();
    old.breakOff("too late");
    await settled();
    expect(known.problem.value).toBeUndefined();
    expect(known.work.value?.label).toContain("Clustering");
    await solveNow(5);
    expect(known.solution.value?.sizes.length).toBe(5);
  });

  test("a question that cannot be sent is a problem, not endless work", async () => {
    const { history, known } = await opened();
    FakeWorker.cannotPost = new Error("it could not be cloned");
    history.change({ clusters: 4 });
    await settled();
    expect(known.work.value).toBeUndefined();
    expect(known.problem.value?.text).toMatch(/could not be cloned/);
  });
});

describe("any order of events", () => {
  /** One thing that a user, the worker or the browser does. */
  const step = fc.oneof(
    fc.record({ does: fc.constant("clusters" as const), count: fc.integer({ min: 2, max: 5 }) }),
    fc.record({ does: fc.constant("pin" as const), count: fc.integer({ min: 2, max: 5 }) }),
    fc.record({ does: fc.constant("answer" as const), count: fc.nat(5) }),
    fc.record({
      does: fc.constantFrom("scale", "undo", "redo", "path", "stop", "start", "break", "late", "wait"),
      count: fc.constant(0),
    }),
  );

  test("comes to rest, with what the settings ask for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        vi.resetModules();
        FakeWorker.all = [];
        const page = await opened();
        for (const { does, count } of steps) {
          act(page, does, count);
          if (does === "wait") await settled();
        }
        await rest();
        if (page.known.problem.value !== undefined) {
          page.known.problem.value = undefined;
          page.solving.clusterNow();
          await rest();
        }
        const { clusters, pinned, gamma } = page.history.settings.value;
        expect(page.known.underWay.value).toEqual([]);
        expect(page.known.problem.value).toBeUndefined();
        expect(page.known.solution.value?.sizes.length).toBe(clusters);
        expect(page.known.path.value !== undefined).toBe(gamma !== undefined);
        const compared = typeof pinned === "object" ? pinned.clusters : undefined;
        expect(page.known.pinned.value?.sizes.length).toBe(compared);
      }),
      { numRuns: 100 },
    );
  });

  function act({ history, known }: Page, does: string, count: number): void {
    const { scale, method, seed, own, same, different, statements } = history.settings.value;
    const worker = FakeWorker.newest;
    if (does === "clusters") history.change({ clusters: count });
    if (does === "pin")
      history.change({ pinned: { method, clusters: count, seed, own, same, different, statements } });
    if (does === "scale") history.change({ scale: scale === "auto" ? "minmax" : "auto" });
    if (does === "undo") history.undo();
    if (does === "redo") history.redo();
    if (does === "path")
      history.change({ gamma: history.settings.value.gamma === undefined ? 1 : undefined });
    if (does === "stop") known.work.value?.cancel();
    if (does === "start" && !worker.greeted) worker.hello();
    if (does === "break") worker.breakOff("it broke");
    if (does === "late") FakeWorker.all.at(-2)?.breakOff("too late");
    if (does === "answer") worker.reply(worker.posted[count]);
  }

  /** The worker starts and answers until nobody asks any more. */
  async function rest(): Promise<void> {
    for (;;) {
      await settled();
      const worker = FakeWorker.newest;
      const asked = worker.posted.find(({ id }) => !worker.replied.has(id));
      if (worker.greeted && asked === undefined) return;
      if (worker.greeted) worker.reply(asked);
      else worker.hello();
    }
  }
});
