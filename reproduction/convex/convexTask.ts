import { KindredError } from "kindred";
import { namedData } from "kindred/data";
import { isSparse, type Matrix } from "kindred/matrix";
import { type Cell, runCell } from "./convexCell.ts";
import { DATA, type Method, type Protocol, PROTOCOLS, type SetName } from "./convexTables.ts";
import { type Repetition, type RepetitionTask, runRepetition } from "./outlierRepetition.ts";

/** A part of a reproduction that can run anywhere: plain data in, plain data out. */
export type Task = CellTask | RepetitionTask;
export type TaskResult<T extends Task> = T extends CellTask ? Cell : Repetition;

export interface CellTask {
  readonly kind: "cell";
  readonly set: SetName;
  readonly protocol: Protocol["name"];
  readonly method: Method;
  readonly quick: boolean;
  readonly folder?: string;
}

export async function runTask<T extends Task>(task: T): Promise<TaskResult<T>> {
  if (task.kind === "repetition") return runRepetition(task) as TaskResult<T>;
  const { set, method, quick, folder } = task;
  const protocol = PROTOCOLS.find(({ name }) => name === task.protocol)!;
  const { X, truth } = await loadSet(set, folder);
  return runCell(X, truth, set, protocol, method, quick) as TaskResult<T>;
}

export async function loadSet(
  set: SetName,
  folder: string | undefined,
): Promise<{ X: Matrix; truth: readonly string[]; source: string }> {
  const { X, label, source } = await namedData(DATA[set].data, folder === undefined ? {} : { folder });
  if (isSparse(X) || label === undefined) {
    throw new KindredError("input", `the data set "${DATA[set].data}" must be dense and have classes`);
  }
  return { X, truth: label.values, source };
}
