import { spawn } from "node:child_process";
import { constants } from "node:os";
import { NOT_ENOUGH_MEMORY } from "./failure.ts";

/**
 * With a limit on addresses (`ulimit -v`), the JavaScript engine ends the process with a stack trace when
 * they are used up, and nothing can catch that. So another process does the work, and this one reports the
 * outcome. Returns the exit code.
 */
export async function underLimit(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1], ...args], {
    stdio: ["inherit", "inherit", "pipe"],
    env: { ...process.env, KINDRED_UNDER_LIMIT: "1" },
  });
  // A terminal sends its signals to both.
  const pass = (signal: NodeJS.Signals): void => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, pass);
  let died = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    died ||= LAST_WORDS.test(text);
    if (!died) process.stderr.write(text);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code, signal) => {
      if (code !== null && code < 128) return resolve(code);
      const number = signal === null ? code! - 128 : constants.signals[signal];
      if (STOPPED.some((name) => constants.signals[name] === number)) return resolve(128 + number);
      process.stderr.write(`kindred: ${NOT_ENOUGH_MEMORY}, or allow more of it (ulimit -v)\n`);
      resolve(3);
    });
  });
}

const STOPPED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"] as const;

/** The beginning of the runtime's last message. */
const LAST_WORDS = /FATAL ERROR|# Fatal|<--- Last few GCs|terminate called|Check failed|^\s*#\s*$/m;
