import { runAnyTask } from "../reproduce/index.ts";
import { serveTasks } from "./taskWorker.ts";

/** A thread of `kindred reproduce`. */
serveTasks(runAnyTask);
