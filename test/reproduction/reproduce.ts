import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { kindred, type Outcome, type Surroundings } from "../cli/command.ts";

const main = fileURLToPath(new URL("../../scripts/reproduce.mjs", import.meta.url));

/** Runs `npm run reproduce -- ARGS` without npm, and waits for its end. */
export function reproduce(args: readonly string[], { cwd, env }: Surroundings = {}): Promise<Outcome> {
  return kindred(args, { main, cwd, env: { ...env, ...there } });
}

/** What npm tells a script about where it was called must not reach the one that is tested. */
const there = { INIT_CWD: "" };

/** What a refused command must look like: one line on standard error that holds `message`, nothing else. */
export function oneLine(code: number, message: RegExp): object {
  const line = new RegExp(`^reproduce: [^\\n]*(?:${message.source})[^\\n]*\\n$`);
  return { code, stdout: "", stderr: expect.stringMatching(line) };
}

/** For tests that need a signal: the command line, and its environment. */
export const command: readonly string[] = [process.execPath, main];
export const environment: NodeJS.ProcessEnv = { ...process.env, KINDRED_DATA: "", ...there };
