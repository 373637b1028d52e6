import { afterEach, expect, test, vi } from "vitest";
import { nodeModule } from "../../src/core/host.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("gives Node's own module", () => {
  expect(nodeModule<typeof import("node:os")>("os")?.cpus).toBeTypeOf("function");
});

test("a module that Node does not have is undefined", () => {
  expect(nodeModule("no-such-module")).toBeUndefined();
});

test("is undefined where there is no process, or one of another kind", () => {
  vi.stubGlobal("process", undefined);
  expect(nodeModule("fs")).toBeUndefined();
  vi.stubGlobal("process", { env: {} });
  expect(nodeModule("fs")).toBeUndefined();
});
