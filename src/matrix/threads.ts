let count: number | undefined;

/** How many threads the kernels may use. */
export function threads(): number {
  return (count ??= 1);
}

/** 1 switches threads off; results do not depend on the number. */
export function setThreads(n: number): void {
  count = n;
}
