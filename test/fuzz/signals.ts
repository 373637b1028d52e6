import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtCommand } from "./builtCommand.ts";
import { dice, type Outcome } from "./dice.ts";

const COMMANDS: readonly (readonly string[])[] = [
  ["embed", "data.csv", "-m", "pca", "--out", "out.csv"],
  ["cluster", "data.csv", "-m", "kmeans", "-k", "3", "--out", "out.csv", "--model", "model.json"],
];

let whole: Map<string, Readonly<Record<string, string>>> | undefined;

/** A command that is killed at any moment: its files are the old ones, or whole, and nothing is left beside them. */
export async function signalCase(seed: number): Promise<Outcome> {
  const roll = dice(seed);
  const args = roll.pick(COMMANDS);
  const signal = roll.pick(["SIGINT", "SIGTERM", "SIGINT", "SIGTERM", "SIGKILL"] as const);
  const expected = await finished(args);
  const folder = mkdtempSync(join(tmpdir(), "kindred-fuzz-"));
  const replaced = roll.chance(0.5);
  try {
    writeFileSync(join(folder, "data.csv"), data());
    if (replaced) for (const name of Object.keys(expected)) writeFileSync(join(folder, name), "old");
    const child = spawn(process.execPath, [builtCommand, ...args], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const ended = new Promise<number | string | null>((resolve) =>
      child.on("close", (code, by) => resolve(by ?? code)),
    );
    const atWrite = roll.chance(0.7);
    const wait = Math.floor(roll.share() * (atWrite ? 60 : 1500));
    const writing = (): boolean => readdirSync(folder).some((name) => name.endsWith(".tmp"));
    if (atWrite) while (child.exitCode === null && !writing()) await sleep(1);
    await sleep(wait);
    child.kill(signal);
    const code = await ended;
    const tried = `${args[0]} killed by ${signal}, ended with ${code}${replaced ? ", files replaced" : ""}`;
    const number = { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 }[signal];
    if (code !== 0 && code !== signal && code !== number) return { tried, wrong: `${tried}: ${said}` };
    if (/\n\s+at /.test(said)) return { tried, wrong: said };
    for (const [name, content] of Object.entries(expected)) {
      const path = join(folder, name);
      if (!existsSync(path)) {
        if (replaced || code === 0) return { tried, wrong: `${name} is gone` };
        continue;
      }
      const found = readFileSync(path, "utf8");
      if (found !== content && !(replaced && found === "old" && code !== 0)) {
        return { tried, wrong: `${name} has ${found.length} characters instead of ${content.length}` };
      }
    }
    const rest = readdirSync(folder).filter((name) => name.endsWith(".tmp"));
    return { tried, wrong: signal !== "SIGKILL" && rest.length > 0 ? `left ${rest.join(" ")}` : undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let text: string | undefined;
function data(): string {
  if (text !== undefined) return text;
  text = "x,y,z\n";
  for (let i = 0; i < 60_000; i++)
    text += `${(i % 3) * 10 + ((i * 7) % 11) / 11},${(i % 3) * 5 + ((i * 5) % 13) / 13},${i % 17}\n`;
  return text;
}

async function finished(args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const key = args.join(" ");
  const known = (whole ??= new Map()).get(key);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "kindred-fuzz-"));
  try {
    writeFileSync(join(folder, "data.csv"), data());
    const child = spawn(process.execPath, [builtCommand, ...args], { cwd: folder, stdio: "ignore" });
    await new Promise((resolve) => child.on("close", resolve));
    const names = readdirSync(folder).filter((name) => name !== "data.csv");
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    whole.set(key, files);
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
