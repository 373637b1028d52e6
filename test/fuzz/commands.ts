import { Command, type Option } from "commander";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtCommand } from "./builtCommand.ts";
import { seedOption } from "../../src/cli/options/words.ts";
import { verbs } from "../../src/cli/verbs.ts";
import { classifiers, clusterings, embeddings, metrics, selections } from "../../src/method/index.ts";
import { dice, type Dice, type Outcome } from "./dice.ts";

/**
 * Every option of every command with values that it does not take. What is no number, no column, no choice and no file is
 * refused; whatever is said is one sentence, without a stack, before long.
 */
export async function commandCase(seed: number, announce?: (tried: string) => void): Promise<Outcome> {
  const roll = dice(seed);
  const verb = roll.pick(Object.keys(BASES));
  const base = BASES[verb](roll);
  const options = await optionsOf(verb, base);
  const args = [verb, ...base];
  let mustFail = false;
  for (let times = roll.pick([1, 1, 1, 2, 3]); times > 0; times--) {
    const wrong = wrongOption(roll.pick(options), roll);
    args.push(...wrong.args);
    mustFail ||= wrong.refused;
  }
  if (roll.chance(0.03)) {
    args.push(roll.pick(["--nonsense", "--clustres=3", "--", "-Z", "--=", "--constructor", "--__proto__"]));
  }
  const told = JSON.stringify(args.map((arg) => (arg.length > 100 ? `${arg.slice(0, 100)}...` : arg)));
  announce?.(told);
  const { code, out, said, seconds } = await run(args);
  const tried = `${told}, ended with ${code}`;
  const wrong = ((): string | undefined => {
    if (typeof code === "string" || ![0, 1, 2].includes(code)) return `ended with ${code}: ${said}`;
    if (seconds > LONGEST) return `took ${seconds.toFixed(1)} s`;
    if (/\n\s+at |fault in kindred/.test(said)) return said;
    if (hasControls(said) || hasControls(out)) return "control characters";
    if (/\bNaN\b|\bundefined\b|\[object /.test(withoutGiven(`${said}\n${out}`, args)))
      return `${said}\n${out}`;
    if (code === 0) return mustFail ? `accepted, and said ${said}` : undefined;
    const lines = said.trim().split("\n");
    const errors = lines.filter((line) => line.startsWith("kindred: "));
    if (errors.length !== 1) return `${errors.length} sentences: ${said}`;
    return undefined;
  })();
  return { tried, wrong };
}

/** Seconds by the clock; the machine may do other work too. */
const LONGEST = 60;

function hasControls(text: string): boolean {
  return Array.from(text).some((character) => {
    const code = character.charCodeAt(0);
    return (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code >= 127 && code < 160);
  });
}

/** Without what was given and is quoted. */
function withoutGiven(text: string, args: readonly string[]): string {
  let rest = text;
  for (const value of args.flatMap((arg) => [arg, arg.replace(/^--[^=]*=/, "")])) {
    if (/NaN|undefined|object/.test(value)) rest = rest.replaceAll(value, "");
  }
  return rest;
}

const table = (): string[] => ["table.csv"];

/** Commands that work as they are, without the option that goes wrong. */
const BASES: Readonly<Record<string, (roll: Dice) => string[]>> = {
  cluster: (roll) => {
    const method = roll.pick(["auto", "kmeans", "kmeans", ...clusterings.map(({ name }) => name)]);
    return ["table.csv", "--method", method, "--clusters", "2", "--ignore", "id"];
  },
  columns: table,
  embed: (roll) => ["table.csv", "--method", roll.pick(embeddings).name, "--ignore", "id"],
  compare: () => ["table.csv", "--methods", "kmeans,ward", "--clusters", "2"],
  path: () => ["table.csv", "--ignore", "id,color,day,cls"],
  metric: (roll) => ["table.csv", "--label", "cls", "--method", roll.pick(metrics).name],
  metrics: () => [],
  apply: () => ["model.json", "table.csv"],
  select: (roll) => ["table.csv", "--label", "cls", "--method", roll.pick(selections).name],
  classify: (roll) => [
    "table.csv",
    "--label",
    "cls",
    "--folds",
    "2",
    "--method",
    roll.pick(classifiers).name,
  ],
  segment: () => ["table.csv", "--ignore", "id,color,cls"],
  score: () => ["labels.csv", "labels.csv"],
  data: () => ["iris"],
  doctor: () => [],
  completion: () => ["bash"],
};

async function optionsOf(verb: string, base: readonly string[]): Promise<readonly Option[]> {
  const command = new Command(verb);
  await (await verbs.find(({ name }) => name === verb)!.load()).define(command, [verb, ...base]);
  if (!command.options.some(({ long }) => long === "--seed")) command.addOption(seedOption());
  return command.options;
}

interface WrongOption {
  readonly args: readonly string[];
  /** Whether no command can take it. */
  readonly refused: boolean;
}

function wrongOption(option: Option, roll: Dice): WrongOption {
  const flag = option.long!;
  const joined = (value: string): string[] => (roll.chance(0.5) ? [`${flag}=${value}`] : [flag, value]);
  if (!option.required && !option.optional) {
    return roll.chance(0.5)
      ? { args: [flag], refused: false }
      : { args: [`${flag}=${roll.pick(TEXTS)}`], refused: true };
  }
  if (roll.chance(0.05)) return { args: [flag], refused: false };
  const named = /<([^>]*)>/.exec(option.flags)?.[1] ?? "";
  if (option.argChoices !== undefined)
    return { args: joined(roll.pick([...TEXTS, ...NUMBERS])), refused: true };
  if (/^(n|x|share|rows)$/.test(named)) {
    const chosen = roll.pick(NUMBERS);
    return { args: joined(chosen), refused: !(Number(chosen) >= 0 && chosen.trim() !== "") };
  }
  if (/^columns?$/.test(named)) {
    // A prefix of columns and the word "none" are names, too.
    return { args: joined(roll.pick(NO_COLUMNS)), refused: !/vector|text/.test(flag) };
  }
  if (/^(file|folder)$/.test(named) && !/out|model|report|svg|save|data|database/.test(flag)) {
    return { args: joined(roll.pick(NO_FILES)), refused: true };
  }
  return { args: joined(roll.pick([...TEXTS, ...NUMBERS, ...NO_FILES])), refused: false };
}

const NUMBERS = [
  "",
  " ",
  "-1",
  "-0.5",
  "0",
  "1e9",
  "1e300",
  "1e999",
  "NaN",
  "Infinity",
  "-Infinity",
  "abc",
  "1,5",
  "1 2",
  "--",
  "２",
  "3x",
  "null",
  "9007199254740993",
  "99999999999999999999999",
  "1e-320",
];
const TEXTS = [
  "",
  "nonsense",
  "__proto__",
  "constructor",
  "toString",
  "\u001b[31m",
  "a\nb",
  "\u202etxt",
  "💥",
  "'; drop table x; --",
  "a=b=c",
  ",",
  ",,,",
  "=",
  "%s%n",
  "../../x",
  "x".repeat(5000),
];
const NO_COLUMNS = ["nonsense", "A", "__proto__", "constructor", "\u001b[2J", "a;b", "x".repeat(3000), "9"];
const NO_FILES = [
  "missing.csv",
  "no/such/folder/x",
  ".",
  "empty.csv",
  "x".repeat(300),
  "table.csv/x",
  "loop",
];

let folder: string | undefined;

/** A folder with files for all cases; commands that write leave theirs there. */
function place(): string {
  if (folder !== undefined) return folder;
  const made = (folder = mkdtempSync(join(tmpdir(), "kindred-fuzz-")));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  const rows = Array.from({ length: 36 }, (_, i) => {
    const k = i % 3;
    const day = new Date(Date.UTC(2024, 0, i + 1)).toISOString().slice(0, 10);
    const numbers = [k * 4 + ((i * 7) % 11) / 11, k * 3 + ((i * 5) % 13) / 13, i % 5];
    return [`r${i}`, ...numbers, ["red", "green", "blue"][k], day, `c${k}`].join(",");
  });
  writeFileSync(join(made, "table.csv"), `id,a,b,c,color,day,cls\n${rows.join("\n")}\n`);
  writeFileSync(join(made, "labels.csv"), `label\n${rows.map((_, i) => i % 3).join("\n")}\n`);
  writeFileSync(join(made, "empty.csv"), "");
  const model = [
    "cluster",
    "table.csv",
    "-m",
    "kmeans",
    "-k",
    "2",
    "--ignore",
    "id",
    "--model",
    "model.json",
  ];
  spawnSync(process.execPath, [builtCommand, ...model], { cwd: made, stdio: "ignore" });
  return made;
}

function run(args: readonly string[]): Promise<{
  readonly code: number | string;
  readonly out: string;
  readonly said: string;
  readonly seconds: number;
}> {
  const start = performance.now();
  const child = spawn(process.execPath, [builtCommand, ...args], {
    cwd: place(),
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, KINDRED_SPARK_REMOTE: "" },
  });
  let out = "";
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out = (out + text).slice(-100_000)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-100_000)));
  const timer = setTimeout(() => child.kill("SIGKILL"), 1000 * LONGEST);
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? signal ?? "?", out, said, seconds: (performance.now() - start) / 1000 });
    });
  });
}
