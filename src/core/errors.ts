/**
 * The one error that Kindred throws on purpose.
 *
 * `kind` says whose move it is: `input` (the data), `option` (an argument), `file` (reading or writing) or
 * `numeric` (the problem has no usable answer as posed). The message names the cell, row, option or file and says
 * what to do about it; the command line prints it as one line.
 */
export class KindredError extends Error {
  override readonly name = "KindredError";
  readonly kind: "input" | "option" | "file" | "numeric";

  constructor(kind: KindredError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export function inputError(message: string): KindredError {
  return new KindredError("input", message);
}

export function optionError(message: string): KindredError {
  return new KindredError("option", message);
}

export function fileError(message: string, cause?: unknown): KindredError {
  return new KindredError("file", message, cause === undefined ? undefined : { cause });
}

export function numericError(message: string): KindredError {
  return new KindredError("numeric", message);
}
