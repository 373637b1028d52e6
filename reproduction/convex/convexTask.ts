import { classedSet } from "../knownSets.ts";
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
  const { X, truth } = await classedSet(DATA[set].data, folder);
  return runCell(X, truth, set, protocol, method, quick) as TaskResult<T>;
}
