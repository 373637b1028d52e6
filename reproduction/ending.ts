/** How a run of tasks ended: the last part of every report. */
export interface Ending {
  readonly failed: readonly Failure[];
  /** Numbers of finished and planned tasks; fewer if some failed or the run was stopped. */
  readonly done: number;
  readonly planned: number;
}

interface Ended extends Ending {
  readonly skipped: readonly { readonly set: string; readonly why: string }[];
}

export interface Failure {
  /** Its name, for people. */
  readonly cell: string;
  readonly why: string;
}

/** A task that ended well. */
export interface Finished<T, R> {
  readonly task: T;
  readonly result: R;
}

/** A task that threw. */
export interface FailedTask<T = unknown> extends Failure {
  readonly task: T;
}

export function endingOf(
  plan: { readonly tasks: readonly unknown[] },
  done: readonly unknown[],
  failed: readonly FailedTask[],
): Ending {
  return {
    failed: failed.map(({ cell, why }) => ({ cell, why })),
    done: done.length,
    planned: plan.tasks.length,
  };
}

/** The last lines of a report: sets that are not there, failed tasks, and how many were done if some were not tried. */
export function endText({ skipped, failed, done, planned }: Ended): string[] {
  return [
    ...skipped.map(({ set, why }) => `${set}: skipped, ${why}`),
    ...failed.map(({ cell, why }) => `${cell}: failed, ${why}`),
    ...(done + failed.length < planned ? [`stopped: ${done} of ${planned} parts were done`] : []),
  ];
}
