import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progressGate, type Progress, stoppable } from "../../src/core/progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const at = (fraction: number): Progress => ({ fraction, label: "work" });

test("reports at most every 100 ms, and always at the end", () => {
  const seen: number[] = [];
  const gate = progressGate(({ fraction }) => {
    seen.push(fraction);
  });
  for (let i = 1; i <= 100; i++) {
    vi.advanceTimersByTime(10);
    expect(gate(at(i / 100))).toBe(true);
  }
  expect(seen).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
});

test("stops for good when the caller returns false", () => {
  const onProgress = vi.fn<() => boolean>(() => false);
  const gate = progressGate(onProgress);
  expect(gate.stopped).toBe(false);
  expect(gate(at(0.1))).toBe(true);
  vi.advanceTimersByTime(300);
  expect(gate(at(0.2))).toBe(false);
  expect(gate.stopped).toBe(true);
  vi.advanceTimersByTime(300);
  expect(gate(at(0.3))).toBe(false);
  expect(onProgress).toHaveBeenCalledTimes(1);
});

test("a caller that returns nothing or true does not stop the work", () => {
  const gate = progressGate(() => true);
  vi.advanceTimersByTime(300);
  expect(gate(at(0.5))).toBe(true);
  expect(gate.stopped).toBe(false);
});

test("without a listener the work goes on", () => {
  const gate = progressGate(undefined);
  vi.advanceTimersByTime(300);
  expect(gate(at(1))).toBe(true);
  expect(gate.stopped).toBe(false);
});

test("an aborted signal throws its reason at the next report, and at once if it comes aborted", () => {
  const abort = new AbortController();
  const gate = progressGate(stoppable(undefined, abort.signal));
  vi.advanceTimersByTime(300);
  expect(gate(at(0.1))).toBe(true);
  abort.abort(new Error("enough"));
  vi.advanceTimersByTime(300);
  expect(() => gate(at(0.2))).toThrow("enough");
  expect(() => stoppable(undefined, abort.signal)).toThrow("enough");
});
