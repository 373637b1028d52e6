import { type Command, InvalidArgumentError } from "commander";
import { integerAtLeast, namedSets, nameList } from "../arguments.ts";
import { INTERRUPT, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
import { planChowLiu, reportChowLiu } from "./chowLiu.ts";
import type { SplitResult, SplitTask } from "./chowLiuSplit.ts";
import { PROTOCOL as CHOW_LIU_PROTOCOL, SETS as CHOW_LIU_SETS } from "./chowLiuTables.ts";
import { chowLiuSvg, chowLiuFindings } from "./chowLiuText.ts";

interface ReproduceOptions extends RunOptions {
  readonly sets?: readonly string[];
  readonly quick?: boolean;
  readonly repetitions?: number;
  readonly train?: number;
  readonly inside?: boolean;
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
    .option("--train <share>", `of the rows to learn from (default: ${train})`, shareOfRows)
    .option("--inside", "select on that share, and cross-validate the classifiers inside the other rows");
  runOptions(command).addHelpText("after", `\n${INTERRUPT}`).action(run);
}

async function run(options: ReproduceOptions): Promise<void> {
  const { quick, repetitions, train, inside, data: folder } = options;
  const sets = namedSets(options.sets, CHOW_LIU_SETS);
  const plan = await planChowLiu({ sets, quick, repetitions, train, inside, folder });
  await reproduce(
    {
      name: "chow-liu",
      plan,
      labelOf: ({ set, seed }: SplitTask) => `${set}, split ${seed}`,
      report: (_, done: { task: SplitTask; result: SplitResult }[], failed) =>
        reportChowLiu(plan, done, failed),
      findings: chowLiuFindings,
      pictures: (report) =>
        report.sets.flatMap((set) =>
          set.figures.map((figure) => ({
            name: `figure-${figure.figure}${inside === true ? "-inside" : ""}.svg`,
            svg: chowLiuSvg(set, figure, report.sizes),
          })),
        ),
    },
    options,
  );
}

function shareOfRows(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError("It must be between 0 and 1.");
  return value;
}
