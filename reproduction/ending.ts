/** How a run of tasks ended: what every report of a reproduction has at its end. */
export interface Ending {
  readonly failed: readonly Failure[];
  /** Tasks that were done, and those planned; fewer if some failed or the run was stopped. */
  readonly done: number;
  readonly planned: number;
}

export interface Failure {
  /** What it was, for people. */
  readonly cell: string;
  readonly why: string;
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

/** The last lines of a report: the tasks that threw, and how many were done if some were not even tried. */
export function endText({ failed, done, planned }: Ending): string[] {
  return [
    ...failed.map(({ cell, why }) => `${cell}: failed, ${why}`),
    ...(done + failed.length < planned ? [`stopped: ${done} of ${planned} parts were done`] : []),
  ];
}
