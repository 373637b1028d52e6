import { Command } from "commander";
import { reproductions } from "./reproductions.ts";

/** The runs behind the pages of docs/explanation, and the same in minutes, which a test compares with the pages. */
export const PAGES: readonly string[] = [
  "bregman --runs 5",
  "bregman --table 3 --runs 1",
  "printed",
  "mlca",
  "chow-liu",
  "cpd-uml --sets breast,cars,dermatology,ecoli,diabetes --runs 3 --grid few",
  "convex --table 4.2 --sets seeds,wine --protocols paper,unsupervised,minmax,raw",
  "convex --figures --repetitions 5",
  "convex --sweep --repetitions 5",
];
export const QUICK: readonly string[] = [
  "bregman --runs 2 --sets sonar,breast",
  "mlca --quick --seeds 1",
  "chow-liu --sets mfeat --quick",
  "cpd-uml --sets cars,ecoli --quick",
  "convex --table 4.2 --sets seeds,wine --quick",
];

interface AllOptions {
  readonly quick?: boolean;
  readonly data?: string;
  readonly resume?: string;
  readonly out?: string;
  readonly pages?: string;
}

export function define(command: Command): void {
  command
    .option("--quick", "few sets, draws and settings of each: minutes instead of hours")
    .option("--data <folder>", "folder of the data sets (default: KINDRED_DATA)")
    .option("--resume <folder>", "keep every finished cell there, and reuse existing ones")
    .option("--out <folder>", "write the reports as text and JSON, and the figures as SVG, there")
    .option("--pages <folder>", "put the tables into the reproduce-... pages of that folder")
    .action(run);
}

async function run({ quick = false, ...shared }: AllOptions): Promise<void> {
  const common = Object.entries(shared).flatMap(([name, value]) => [`--${name}`, String(value)]);
  for (const line of quick ? QUICK : PAGES) {
    const [name, ...words] = line.split(" ");
    const command = new Command(name).exitOverride();
    (await reproductions.find((one) => one.name === name)!.load()).define(command);
    await command.parseAsync([...words, ...common], { from: "user" });
    if (process.exitCode === 130) return;
  }
}
