import { option, optionError } from "./errors.ts";

/**
 * Declared options: each method lists its options once, with range and default, and `resolveOptions` checks
 * the given ones. An option that the method does not know is refused, never ignored.
 */
export interface Rule<T> {
  readonly expects: string;
  readonly fallback: T | undefined;
  readonly required: boolean;
  readonly accepts: (value: unknown) => boolean;
  /** How people set it on the command line and in the explorer; absent for options that only programs set. */
  readonly control?: Control;
}

/** An option in the form for people. Help, flags and the explorer's controls are generated from this. */
export interface Control {
  readonly kind: "integer" | "number" | "numbers" | "choice" | "flag";
  /** Its effect, in a few words that follow the name: "independent starts; the best is kept". */
  readonly says: string;
  /** The default, if it is not a constant: "by the size of the data". */
  readonly usual?: string;
  readonly min?: number;
  readonly max?: number;
  /** Exclusive bounds. */
  readonly above?: number;
  readonly below?: number;
  readonly choices?: readonly (string | number)[];
}

/** The descriptions of rules that people may set. */
interface Said {
  readonly says?: string;
  readonly usual?: string;
}

export type Rules<T> = { readonly [K in keyof T]-?: Rule<T[K]> };

/** The rules that a method exports: one for each of its options. */
export type RulesOf<T> = { readonly [K in keyof Required<T>]: Rule<Required<T>[K]> };

/** The options in a method: every option with a default is present. */
export type Resolved<T, R extends Rules<T>> = {
  readonly [K in keyof R]: R[K] extends Rule<infer V> ? V : never;
};

export function integer(range: { min?: number; max?: number; default?: number } & Said): Rule<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range;
  return {
    ...controlled("integer", range),
    expects: `an integer${describeRange(range)}`,
    fallback: range.default,
    required: false,
    accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  };
}

export function real(
  range: { min?: number; max?: number; above?: number; below?: number; default?: number } & Said,
): Rule<number> {
  return {
    ...controlled("number", range),
    expects: `a finite number${describeRange(range)}`,
    fallback: range.default,
    required: false,
    accepts: (value) =>
      typeof value === "number" &&
      Number.isFinite(value) &&
      !(range.min !== undefined && value < range.min) &&
      !(range.max !== undefined && value > range.max) &&
      !(range.above !== undefined && value <= range.above) &&
      !(range.below !== undefined && value >= range.below),
  };
}

/** A list of finite numbers, each in the range. */
export function reals(
  range: { min?: number; max?: number; above?: number; below?: number } & Said,
): Rule<readonly number[]> {
  const each = real(range);
  return {
    ...controlled("numbers", range),
    expects: `a list of finite numbers${describeRange(range)}`,
    fallback: undefined,
    required: false,
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(each.accepts),
  };
}

export function oneOf<const T extends string | number>(
  choices: readonly T[],
  fallback?: T,
  said: Said = {},
): Rule<T> {
  return {
    ...controlled("choice", { ...said, choices }),
    expects: `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
    fallback,
    required: false,
    accepts: (value) => choices.includes(value as T),
  };
}

export function flag(fallback: boolean, said: Said = {}): Rule<boolean> {
  return {
    ...controlled("flag", said),
    expects: "true or false",
    fallback,
    required: false,
    accepts: (value) => typeof value === "boolean",
  };
}

function controlled(
  kind: Control["kind"],
  { says, usual, ...range }: Said & Partial<Control> & { readonly default?: unknown },
): { readonly control?: Control } {
  if (says === undefined) return {};
  const { min, max, above, below, choices } = range;
  const all = { kind, says, usual, min, max, above, below, choices };
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  return { control: Object.fromEntries(present) as unknown as Control };
}

/** An option checked by the method itself (an array, a matrix, a callback). */
export function given<T>(expects: string, accepts: (value: unknown) => boolean, fallback?: T): Rule<T> {
  return { expects, fallback, required: false, accepts };
}

export function required<T>(rule: Rule<T>): Rule<T> {
  return { ...rule, required: true };
}

/** The rules of another method, without those that do not apply. */
export function without<R extends object, const K extends keyof R>(
  rules: R,
  ...names: readonly K[]
): Omit<R, K> {
  const kept = Object.entries(rules).filter(([name]) => !names.includes(name as K));
  return Object.fromEntries(kept) as Omit<R, K>;
}

/** JavaScript callers may pass anything. */
export function requireOptions(method: string, options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  throw optionError(`${method}: the options must be an object such as { seed: 1 }, got ${describe(options)}`);
}

/**
 * Checks `options` against `rules` and fills in the defaults. Options given as `undefined` count as absent.
 *
 * @param method the name that error messages start with
 */
export function resolveOptions<T extends object, const R extends Rules<T>>(
  method: string,
  options: T | undefined,
  rules: R,
): Resolved<T, R> {
  const known = rules as Record<string, Rule<unknown>>;
  const supplied = (options ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(supplied)) {
    if (!(name in known)) {
      throw optionError(
        `${method}: there is no option "${name}"; the options are ${Object.keys(known).join(", ")}`,
      );
    }
  }
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(known)) {
    const value = supplied[name];
    if (value === undefined) {
      if (rule.required) throw optionError(`${method}: ${option(name)} is required (${rule.expects})`);
      resolved[name] = rule.fallback;
    } else if (rule.accepts(value)) {
      resolved[name] = value;
    } else {
      throw optionError(`${method}: ${option(name)} must be ${rule.expects}, got ${describe(value)}`);
    }
  }
  return resolved as Resolved<T, R>;
}

function describeRange(range: { min?: number; max?: number; above?: number; below?: number }): string {
  const parts: string[] = [];
  if (range.min !== undefined) parts.push(`at least ${range.min}`);
  if (range.above !== undefined) parts.push(`above ${range.above}`);
  if (range.max !== undefined) parts.push(`at most ${range.max}`);
  if (range.below !== undefined) parts.push(`below ${range.below}`);
  return parts.length === 0 ? "" : ` ${parts.join(" and ")}`;
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return String(value);
}

/** The command line's spelling of an option: maxIterations is --max-iterations. */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Anything with a length: arrays and typed arrays. */
export function isList(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && Number.isInteger((value as { length?: unknown }).length)
  );
}
