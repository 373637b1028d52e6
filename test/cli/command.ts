import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  /** The built command of another installation. */
  readonly main?: string;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: Record<string, string>;
}

/** Runs the built command as a user would and waits for its end. */
export function kindred(
  args: readonly string[],
  { main: other, cwd, input, env }: Surroundings = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [other ?? main, ...args], {
      cwd,
      env: { ...process.env, KINDRED_DATA: "", ...env },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject).on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => {}); // a command that fails early does not read its input
    child.stdin.end(input);
  });
}

/** What a failed command must look like: one line on standard error that holds `message`, nothing else. */
export function oneLine(code: number, message: RegExp): object {
  const line = new RegExp(`^kindred: [^\\n]*(?:${message.source})[^\\n]*\\n$`);
  return { code, stdout: "", stderr: expect.stringMatching(line) };
}

/** The command line of the built command, for tests that need a shell or a signal. */
export const command: readonly string[] = [process.execPath, main];

/** The built command in a folder where only the packages that it cannot do without are installed; its path. */
export function bareInstallation(folder: string): string {
  const root = join(dirname(main), "..", "..");
  mkdirSync(join(folder, "node_modules", "@uwdata"), { recursive: true });
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  return join(folder, "dist", "cli", "main.js");
}

/** A folder of its own for one test, removed with it. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "kindred-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What lies in a folder, hidden files included. */
export function listing(folder: string): string[] {
  return readdirSync(folder).toSorted();
}
