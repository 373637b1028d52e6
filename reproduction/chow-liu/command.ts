import { type Command, InvalidArgumentError } from "commander";
import { KindredError } from "kindred";
import { integerAtLeast, nameList } from "../arguments.ts";
import { INTERRUPT, outputFolder, runOptions, type RunOptions, runReproduction } from "../runReproduction.ts";
import { type ChowLiuReport, planChowLiu, reportChowLiu } from "./chowLiu.ts";
import type { SplitResult, SplitTask } from "./chowLiuSplit.ts";
import { type ChowLiuSet, PROTOCOL as CHOW_LIU_PROTOCOL, SETS as CHOW_LIU_SETS } from "./chowLiuTables.ts";
import { chowLiuSvg, chowLiuText } from "./chowLiuText.ts";

interface ReproduceOptions extends RunOptions {
  readonly sets?: readonly string[];
  readonly quick?: boolean;
  readonly repetitions?: number;
  readonly train?: number;
  readonly out?: string;
}

export function define(command: Command): void {
  const { repetitions, quickRepetitions, train } = CHOW_LIU_PROTOCOL;
  command
    .option("--sets <names>", `data sets: ${CHOW_LIU_SETS.join(", ")} (default: all)`, nameList)
    .option("--quick", "three sizes and three splits: seconds instead of minutes")
    .option(
      "--repetitions <n>",
      `random splits of each set (default: ${repetitions}, or ${quickRepetitions} with --quick)`,
      integerAtLeast(1),
    )
    .option("--train <share>", `of the rows to learn from (default: ${train})`, shareOfRows);
  runOptions(command)
    .option("--out <folder>", "write chow-liu.txt, chow-liu.json and the figures as SVG there")
    .addHelpText("after", `\n${INTERRUPT}`)
    .action((options: ReproduceOptions) => reproduce(options));
}

async function reproduce(options: ReproduceOptions): Promise<void> {
  const { quick, repetitions, train, json, out } = options;
  const sets = options.sets?.map(setName);
  const plan = await planChowLiu({ sets, quick, repetitions, train, folder: options.data });
  const write = out === undefined ? undefined : outputFiles(out);
  const run = await runReproduction<SplitTask, SplitResult>(
    plan,
    options,
    ({ set, seed }) => `${set}, split ${seed}`,
  );
  const report = reportChowLiu(plan, run.done, run.failed);
  const lines = [...chowLiuText(report), ""].join("\n");
  process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : lines);
  write?.(report, lines);
  run.conclude();
}

function setName(name: string): ChowLiuSet {
  const known = CHOW_LIU_SETS.find((set) => set === name);
  if (known !== undefined) return known;
  throw new KindredError(
    "option",
    `--sets: there are no figures of "${name}"; there are of ${CHOW_LIU_SETS.join(", ")}`,
  );
}

function shareOfRows(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError("It must be between 0 and 1.");
  return value;
}

/** Makes the folder now, before minutes of work. */
function outputFiles(folder: string): (report: ChowLiuReport, text: string) => void {
  const write = outputFolder(folder);
  return (report, lines) => {
    write("chow-liu.txt", lines);
    write("chow-liu.json", `${JSON.stringify(report, undefined, 1)}\n`);
    for (const set of report.sets) {
      for (const figure of set.figures) {
        write(`figure-${figure.figure}.svg`, chowLiuSvg(set, figure, report.sizes));
      }
    }
  };
}
