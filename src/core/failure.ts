import { type About, KindredError, option } from "./messages.ts";
import type { Progress } from "./progress.ts";

/** What a thread says of its work. */
export type Reply<R> =
  | { readonly result: R }
  | { readonly failure: Failure }
  | { readonly progress: Progress };

/** An error that crosses threads; `kind` and `about` are those of a KindredError. */
export interface Failure {
  readonly message: string;
  readonly stack?: string;
  readonly kind?: KindredError["kind"];
  readonly about?: About;
}

/** An error as plain data; the options in its message stay marked. */
export function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof KindredError)) return { message, stack };
  const { kind, code, option: about, column, row, file } = error;
  return { message: error.told(option), stack, kind, about: { code, option: about, column, row, file } };
}

/** The error again, in another thread. */
export function errorOf({ message, stack, kind, about }: Failure): Error {
  const error = kind === undefined ? new Error(message) : new KindredError(kind, message, about);
  return Object.assign(error, { stack });
}
