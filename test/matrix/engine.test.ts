import { afterEach, describe, expect, it, vi } from "vitest";
import { engines, loadKernel, useEngine, type EngineName } from "../../src/matrix/index.ts";
import * as sparse from "../../src/matrix/kernel/sparse.wasm.ts";
import { buildProblem } from "../../src/matrix/wasm.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  useEngine("simd");
});

describe("engines", () => {
  it("are listed with what they run on or why they cannot", () => {
    const listed = engines();
    expect(listed.map((entry) => entry.name)).toEqual(["simd", "relaxed"]);
    expect(listed.every((entry) => entry.detail.length > 0)).toBe(true);
    expect(listed.filter((entry) => entry.available).map((entry) => entry.name)).toContain("simd");
  });

  it("that do not exist are refused by name", () => {
    expect(() => useEngine("mkl" as EngineName)).toThrow(/no engine "mkl"; the engines are simd, relaxed/);
  });

  it("can be selected by KINDRED_ENGINE", async () => {
    expect((await loadWith({})).engine().name).toBe("simd");
    expect((await loadWith({ KINDRED_ENGINE: "relaxed" })).engine().name).toBe("relaxed");
    const { engine } = await loadWith({ KINDRED_ENGINE: "fast" });
    expect(() => engine()).toThrow(/^KINDRED_ENGINE: there is no engine "fast"/);
  });

  it("have their threads set by KINDRED_THREADS", async () => {
    expect((await loadWith({ KINDRED_THREADS: "3" })).threads()).toBe(3);
    const { threads } = await loadWith({ KINDRED_THREADS: "many" });
    expect(() => threads()).toThrow(/KINDRED_THREADS must be a number from 1 to 64, got "many"/);
  });
});

describe("kernels", () => {
  it("are loaded once for each build", () => {
    expect(loadKernel("sparse", sparse)).toBe(loadKernel("sparse", sparse, { build: "simd" }));
    expect(loadKernel("sparse", sparse, { build: "relaxed" })).not.toBe(loadKernel("sparse", sparse));
  });

  it("hand out memory that is aligned, apart, and free again after a scope", () => {
    const kernel = loadKernel("sparse", sparse);
    const before = kernel.scope(() => kernel.reserve(1));
    kernel.scope(() => {
      const first = kernel.reserve(9);
      const second = kernel.reserve(3e6);
      expect([first, first % 64, second - first]).toEqual([before, 0, 64]);
      expect(kernel.f64(second, 375000).length).toBe(375000);
    });
    expect(() =>
      kernel.scope(() => {
        kernel.reserve(128);
        throw new Error("in the middle");
      }),
    ).toThrow("in the middle");
    expect(kernel.scope(() => kernel.reserve(1))).toBe(before);
  });

  it("refuse more memory than there can be", () => {
    const kernel = loadKernel("sparse", sparse);
    expect(() => kernel.scope(() => kernel.reserve(5e9))).toThrow(/sparse cannot get the 4769 MiB/);
    expect(kernel.scope(() => kernel.reserve(8))).toBeGreaterThan(0);
  });

  it("are refused where the JavaScript engine does not know their instructions", () => {
    const broken = { simd: btoa("\0asm\x01\0\0\0\x07"), relaxed: "" };
    expect(buildProblem(broken, "simd")).toBe("this JavaScript engine does not know SIMD instructions");
    expect(() => loadKernel("broken", broken)).toThrow(/the simd build of broken cannot be used/);
  });
});

/** The room as a process with these variables would load it. */
async function loadWith(env: Record<string, string>): Promise<typeof import("../../src/matrix/index.ts")> {
  vi.resetModules();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return import("../../src/matrix/index.ts");
}
