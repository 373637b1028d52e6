import { expect, test } from "vitest";
import { progressLine } from "../../src/cli/output/terminal.ts";

function terminal(
  columns: number | undefined,
  isTTY: boolean,
): { stream: NodeJS.WriteStream; written: string[] } {
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

test("a terminal gets one line that is overwritten and then wiped", () => {
  const { stream, written } = terminal(80, true);
  const line = progressLine(stream);
  line.onProgress({ fraction: 0.5, label: "restart 5 of 10", objective: 1234.5678 });
  line.onProgress({ fraction: 1, label: "restart 10 of 10" });
  line.done();
  line.done();
  expect(written).toEqual([
    "\r\u001b[K[==========          ]  50 %  restart 5 of 10  objective 1234.57",
    "\r\u001b[K[====================]  100 %  restart 10 of 10",
    "\r\u001b[K",
  ]);
});

test("the line is never wider than the terminal", () => {
  const { stream, written } = terminal(30, true);
  progressLine(stream).onProgress({ fraction: 0.25, label: "a".repeat(100) });
  expect(written[0].length - "\r\u001b[K".length).toBe(29);
});

test("anything but a terminal gets nothing", () => {
  const { stream, written } = terminal(undefined, false);
  const line = progressLine(stream);
  line.onProgress({ fraction: 0.5, label: "half" });
  line.done();
  expect(written).toEqual([]);
});

test("never stops the work", () => {
  const { stream } = terminal(80, true);
  expect(progressLine(stream).onProgress({ fraction: 0.1, label: "x" })).not.toBe(false);
});
