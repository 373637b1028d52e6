import { inputError } from "./errors.ts";

/**
 * Checks of plain data from a file, before they are used. `what` names the object ("the mixture"), and every
 * check names the field; an error is one sentence that says what is expected.
 */
export interface Stored {
  readonly value: Readonly<Record<string, unknown>>;
  /** A field that must also be an object. */
  part(name: string): Stored;
  has(name: string): boolean;
  text(name: string): string;
  texts(name: string, length?: number): readonly string[];
  flag(name: string): boolean;
  choice<T extends string>(name: string, choices: readonly T[]): T;
  finite(name: string, range?: Range): number;
  whole(name: string, range?: Range): number;
  /** A list of finite numbers. */
  numbers(name: string, length?: number, range?: Range): readonly number[];
  /** A list of whole numbers. */
  wholes(name: string, length?: number, range?: Range): readonly number[];
  list(name: string, length?: number): readonly unknown[];
  parts(name: string, length?: number): readonly Stored[];
  /** For errors that only the reader can find. */
  damaged(reason: string): Error;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
}

export function stored(given: unknown, what: string): Stored {
  const damaged = (reason: string): Error => inputError(`${what} is damaged: ${reason}`, { code: "damaged" });
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw inputError(`${what} is damaged: an object belongs here, not ${shown(given)}`, { code: "damaged" });
  }
  const value = given as Record<string, unknown>;
  const at = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
  const wrong = (name: string, expected: string): Error =>
    damaged(`"${name}" must be ${expected}, not ${shown(at(name))}`);
  const list = (name: string, length?: number): readonly unknown[] => {
    const found = at(name);
    if (!Array.isArray(found) && !(ArrayBuffer.isView(found) && !(found instanceof DataView))) {
      throw wrong(name, "a list");
    }
    const entries = found as readonly unknown[];
    if (length !== undefined && entries.length !== length) {
      throw damaged(`"${name}" has ${entries.length} entries where ${length} belong`);
    }
    return entries;
  };
  const each = (
    name: string,
    length: number | undefined,
    range: Range | undefined,
    whole: boolean,
  ): readonly number[] => {
    const entries = list(name, length);
    for (let i = 0; i < entries.length; i++) {
      if (isIn(entries[i], range, whole)) continue;
      throw damaged(`"${name}[${i}]" must be ${expectation(range, whole)}, not ${shown(entries[i])}`);
    }
    return entries as readonly number[];
  };
  const one = (name: string, range: Range | undefined, whole: boolean): number => {
    if (!isIn(at(name), range, whole)) throw wrong(name, expectation(range, whole));
    return at(name) as number;
  };
  return {
    value,
    part: (name) => stored(at(name), `${what}, "${name}",`),
    has: (name) => at(name) !== undefined,
    text(name) {
      if (typeof at(name) !== "string") throw wrong(name, "a text");
      return at(name) as string;
    },
    texts(name, length) {
      const entries = list(name, length);
      if (!entries.every((entry) => typeof entry === "string")) throw wrong(name, "a list of texts");
      return entries as readonly string[];
    },
    flag(name) {
      if (typeof at(name) !== "boolean") throw wrong(name, "true or false");
      return at(name) as boolean;
    },
    choice<T extends string>(name: string, choices: readonly T[]): T {
      if (!choices.includes(at(name) as T))
        throw wrong(name, choices.map((known) => `"${known}"`).join(" or "));
      return at(name) as T;
    },
    finite: (name, range) => one(name, range, false),
    whole: (name, range) => one(name, range, true),
    numbers: (name, length, range) => each(name, length, range, false),
    wholes: (name, length, range) => each(name, length, range, true),
    list,
    parts: (name, length) => list(name, length).map((entry, i) => stored(entry, `${what}, "${name}[${i}]",`)),
    damaged,
  };
}

function isIn(value: unknown, { min, max, above }: Range = {}, whole: boolean): boolean {
  return (
    typeof value === "number" &&
    Number.isFinite(value) &&
    (!whole || Number.isSafeInteger(value)) &&
    !(min !== undefined && value < min) &&
    !(max !== undefined && value > max) &&
    !(above !== undefined && value <= above)
  );
}

function expectation({ min, max, above }: Range = {}, whole: boolean): string {
  const kind = whole ? "a whole number" : "a finite number";
  const bounds = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ];
  return bounds.length === 0 ? kind : `${kind} ${bounds.join(" and ")}`;
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
