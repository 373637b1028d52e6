import { serveTasks } from "kindred/cells";
import { runAnyTask } from "./anyTask.ts";

/** A thread of the reproduction. */
serveTasks(runAnyTask);
