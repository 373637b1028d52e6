import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { command, listing } from "./command.ts";

/** Starts the command, and sends it `signal` as soon as `ready`; returns its exit code and what it said. */
export async function interrupted(
  args: readonly string[],
  cwd: string,
  signal: NodeJS.Signals,
  ready: (child: ChildProcess, stderr: string) => boolean,
  [program, ...before]: readonly string[] = command,
): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
  const child = spawn(program, [...before, ...args], {
    cwd,
    env: { ...process.env, KINDRED_DATA: "", INIT_CWD: "" },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const timer = setInterval(() => {
    if (!ready(child, stderr)) return;
    clearInterval(timer);
    child.kill(signal);
  }, 5);
  const [code, by] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (...ending) => resolve(ending));
  });
  clearInterval(timer);
  return { code, signal: by, stdout, stderr };
}

/** Cells that are whole on disk. */
export function cellsIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return listing(folder).reduce(
    (sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1,
    0,
  );
}
