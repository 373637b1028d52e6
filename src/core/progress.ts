/** The progress report of a long computation. */
export interface Progress {
  /** Done so far, 0 to 1. */
  readonly fraction: number;
  /** The current step, for people: "path", "restart 3 of 10". */
  readonly label: string;
  readonly objective?: number;
}

/**
 * Called a few times a second; returning false stops the work, and the best result so far is returned and
 * marked.
 */
export type OnProgress = (progress: Progress) => boolean | void;

export interface ProgressGate {
  /** Reports if it is time; false means that the caller asked to stop. */
  (progress: Progress): boolean;
  readonly stopped: boolean;
}

/** Milliseconds between two reports: at most ten a second. */
const BETWEEN = 100;

/**
 * One function of `onProgress` and `signal`: the next report of an aborted computation throws the reason of the abort. So
 * the work ends without a result; `onProgress` that returns false ends it with the best so far.
 */
export function stoppable(
  onProgress: OnProgress | undefined,
  signal: AbortSignal | undefined,
): OnProgress | undefined {
  if (signal === undefined) return onProgress;
  signal.throwIfAborted();
  return (progress) => {
    const going = onProgress?.(progress);
    signal.throwIfAborted();
    return going;
  };
}

/** Limits `onProgress` to a few calls a second, so hot loops may report as often as they like. */
export function progressGate(onProgress: OnProgress | undefined): ProgressGate {
  let last = performance.now();
  let stopped = false;
  const gate = (progress: Progress): boolean => {
    if (stopped) return false;
    if (onProgress === undefined) return true;
    const now = performance.now();
    if (now - last < BETWEEN && progress.fraction < 1) return true;
    last = now;
    if (onProgress(progress) === false) stopped = true;
    return !stopped;
  };
  Object.defineProperty(gate, "stopped", { get: () => stopped });
  return gate as ProgressGate;
}
