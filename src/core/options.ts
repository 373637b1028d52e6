import { option, optionError } from "./messages.ts";
import { stoppable, type OnProgress } from "./progress.ts";

/**
 * Declared options: each method lists its options once, with range, default and comment, and everything else
 * follows from the list. `OptionsOf` is the type that callers see, `resolveOptions` checks the given options
 * and fills in the defaults, `ResolvedOptions` is the type of its result. An option that the method does not
 * know is refused, never ignored.
 *
 *     export const slowOptions = {
 *       /** K. *\/
 *       clusters: required(integer({ min: 1 })),
 *       /** Limit of the iterations. *\/
 *       maxIterations: integer({ min: 1, default: 300, says: "maximum number of iterations" }),
 *     };
 *     export type SlowOptions = OptionsOf<typeof slowOptions>;
 *     // { clusters: number; maxIterations?: number }, with the comments
 */
export interface Rule<T> {
  readonly expects: string;
  readonly fallback: T | undefined;
  readonly required: boolean;
  readonly accepts: (value: unknown) => value is T;
  /** How people set it on the command line and in the explorer; absent for options that only programs set. */
  readonly control?: Control;
}

/** An option that callers may leave out: the method then uses `fallback`. */
export interface DefaultRule<T> extends Rule<T> {
  readonly fallback: T;
  readonly required: false;
}

/** An option that callers may leave out, and that is then `undefined` in the method. */
export interface OptionalRule<T> extends Rule<T> {
  readonly fallback: undefined;
  readonly required: false;
}

/** An option that every call must state. */
export interface RequiredRule<T> extends Rule<T> {
  readonly fallback: undefined;
  readonly required: true;
}

/** The rules of a method, by the names of its options. */
export type OptionRules = Readonly<Record<string, Rule<unknown>>>;

type ValueOf<R> = R extends Rule<infer T> ? T : never;

type RequiredNames<R> = { [K in keyof R]: R[K] extends { readonly required: true } ? K : never }[keyof R];

/** Two mapped types as one, so that editors list the options and not their making. */
type Flat<T> = { [K in keyof T]: T[K] };

/** Every computation that reports its progress can be aborted. */
export interface Abortable {
  /** Aborts the work, which then throws the reason of the signal. `onProgress` that returns false keeps the best so far. */
  signal?: AbortSignal;
}

/** The options as callers give them; editors show the comments of the rules. */
export type OptionsOf<R> = Flat<
  { -readonly [K in keyof R as K extends RequiredNames<R> ? K : never]: ValueOf<R[K]> } & {
    -readonly [K in keyof R as K extends RequiredNames<R> ? never : K]?: ValueOf<R[K]>;
  } & (R extends { readonly onProgress: unknown } ? Abortable : unknown)
>;

/** The options in the method. One that has no default and is not required may be `undefined`. */
export type ResolvedOptions<R> = {
  readonly [K in keyof R]: R[K] extends DefaultRule<infer T> | RequiredRule<infer T>
    ? T
    : ValueOf<R[K]> | undefined;
};

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

/** Closed bounds. */
interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Exclusive bounds too. */
interface OpenRange extends Range {
  readonly above?: number;
  readonly below?: number;
}

export function integer(range: Range & { readonly default: number } & Said): DefaultRule<number>;
export function integer(range: Range & Said): OptionalRule<number>;
export function integer(range: Range & { readonly default?: number } & Said): Rule<number> {
  return {
    ...controlled("integer", range),
    expects: `an integer${rangeWords(range)}`,
    fallback: range.default,
    required: false,
    accepts: (value): value is number => isNumberIn(value, range, true),
  };
}

export function real(range: OpenRange & { readonly default: number } & Said): DefaultRule<number>;
export function real(range: OpenRange & Said): OptionalRule<number>;
export function real(range: OpenRange & { readonly default?: number } & Said): Rule<number> {
  return {
    ...controlled("number", range),
    expects: `a finite number${rangeWords(range)}`,
    fallback: range.default,
    required: false,
    accepts: (value): value is number => isNumberIn(value, range),
  };
}

/** Whether a value is a finite number of the range. */
export function isNumberIn(
  value: unknown,
  { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity }: OpenRange,
  isWhole: boolean = false,
): value is number {
  if (!(isWhole ? Number.isSafeInteger(value) : Number.isFinite(value))) return false;
  const x = value as number;
  return x >= min && x <= max && x > above && x < below;
}

/** A list of finite numbers, each in the range. */
export function reals(range: OpenRange & Said): OptionalRule<readonly number[]> {
  const each = real(range);
  return {
    ...controlled("numbers", range),
    expects: `a list of finite numbers${rangeWords(range)}`,
    fallback: undefined,
    required: false,
    accepts: (value): value is readonly number[] =>
      Array.isArray(value) && value.length > 0 && value.every(each.accepts),
  };
}

export function oneOf<const T extends string | number>(
  choices: readonly T[],
  fallback: NoInfer<T>,
  said?: Said,
): DefaultRule<T>;
export function oneOf<const T extends string | number>(
  choices: readonly T[],
  fallback?: undefined,
  said?: Said,
): OptionalRule<T>;
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
    accepts: (value): value is T => choices.includes(value as T),
  };
}

export function flag(fallback: boolean, said: Said = {}): DefaultRule<boolean> {
  return {
    ...controlled("flag", said),
    expects: "true or false",
    fallback,
    required: false,
    accepts: (value): value is boolean => typeof value === "boolean",
  };
}

function controlled(
  kind: Control["kind"],
  { says, usual, ...range }: Said & Partial<Control> & { readonly default?: unknown },
): { readonly control?: Control } {
  if (says === undefined) return {};
  const { min, max, above, below, choices } = range;
  const all = { kind, says, usual, min, max, above, below, choices };
  return { control: defined(all) as unknown as Control };
}

/** An option checked by the method itself (an array, a matrix, a callback). */
export function given<T>(
  expects: string,
  accepts: (value: unknown) => boolean,
  fallback: T & {},
): DefaultRule<T>;
export function given<T>(expects: string, accepts: (value: unknown) => boolean): OptionalRule<T>;
export function given<T>(expects: string, accepts: (value: unknown) => boolean, fallback?: T): Rule<T> {
  return { expects, fallback, required: false, accepts: accepts as Rule<T>["accepts"] };
}

export function text(expects: string): OptionalRule<string> {
  return given<string>(expects, isText);
}

export function texts(expects: string): OptionalRule<readonly string[]> {
  return given<readonly string[]>(expects, (value) => Array.isArray(value) && value.every(isText));
}

export function callback<T>(): OptionalRule<T> {
  return given<T>("a function", (value) => typeof value === "function");
}

const isText = (value: unknown): boolean => typeof value === "string";

export function required<T>(rule: Rule<T>): RequiredRule<T> {
  return { ...rule, fallback: undefined, required: true };
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
 * Checks `options` against `rules` and fills in the defaults. Options given as `undefined` count as absent. A `signal` is
 * joined with `onProgress`, so a method knows of reports alone.
 *
 * @param method the name that error messages start with
 */
export function resolveOptions<const R extends OptionRules>(
  method: string,
  options: NoInfer<OptionsOf<R>> | undefined,
  rules: R,
): ResolvedOptions<R>;
export function resolveOptions(
  method: string,
  options: object | undefined,
  known: OptionRules,
): Readonly<Record<string, unknown>> {
  if (options !== undefined) requireOptions(method, options);
  const supplied = (options ?? {}) as Record<string, unknown>;
  const rules: OptionRules = Object.hasOwn(known, "onProgress") ? { ...known, signal } : known;
  for (const name of Object.keys(supplied)) {
    if (!Object.hasOwn(rules, name)) {
      throw optionError(
        `${method}: there is no option "${name}"; the options are ${Object.keys(rules).join(", ")}`,
      );
    }
  }
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
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
  if (rules === known) return resolved;
  const { signal: abort, ...others } = resolved;
  const onProgress = stoppable(others.onProgress as OnProgress, abort as AbortSignal);
  return { ...others, onProgress };
}

/** " at least 1 and below 5", or nothing. */
export function rangeWords(range: OpenRange): string {
  const parts = boundWords(range);
  return parts.length === 0 ? "" : ` ${parts.join(" and ")}`;
}

function boundWords({ min, above, max, below }: OpenRange): string[] {
  const bounds = { "at least": min, above, "at most": max, below };
  return Object.entries(bounds).flatMap(([word, bound]) => (bound === undefined ? [] : [`${word} ${bound}`]));
}

/** What was given instead of a value, for messages. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return String(value);
}

/** The command line's spelling of an option: maxIterations is --max-iterations. */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An option with its value as words of the command line; nothing if it is not given. */
export function flagWords(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (value === true) return [flagOf(name)];
  if (value === false) return [`--no-${flagOf(name).slice(2)}`];
  const pairs = (all: object): string[] => Object.entries(all).map(([key, kind]) => `${key}=${String(kind)}`);
  const list = typeof value === "object" && value !== null && !Array.isArray(value) ? pairs(value) : value;
  return [flagOf(name), String(list as string)];
}

/** An option of a method in the form for people. */
export interface ShownOption {
  readonly name: string;
  readonly fallback: unknown;
  readonly control: Control;
}

/** Options that every method gets in the same way, and that are not listed as its own. */
const COMMON: ReadonlySet<string> = new Set(["clusters", "seed", "mustLink", "cannotLink", "labels"]);

/** The options of a method that people may set, in the order of their declaration. */
export function shownOptions(rules: OptionRules): ShownOption[] {
  return Object.entries(rules).flatMap(([name, { control, fallback }]) =>
    control === undefined || COMMON.has(name) ? [] : [{ name, fallback, control }],
  );
}

/** The value of a text, or undefined if the option does not take it. */
export function parseValue({ kind, choices, ...range }: Control, text: string): unknown {
  if (kind === "choice") return choices!.find((choice) => String(choice) === text);
  if (kind === "flag") return text === "true" ? true : text === "false" ? false : undefined;
  if (kind === "numbers") {
    const values = text.split(",").map((part) => parseValue({ kind: "number", ...range }, part));
    return values.includes(undefined) ? undefined : values;
  }
  const value = Number(text);
  return text.trim() !== "" && isNumberIn(value, range, kind === "integer") ? value : undefined;
}

/** The accepted values of an option, in words: "an integer, at least 1". */
export function expectation({ kind, choices, ...range }: Control): string {
  if (kind === "choice") return `one of ${choices!.join(", ")}`;
  if (kind === "flag") return "true or false";
  const what = { integer: "an integer", number: "a number", numbers: "numbers, separated by commas" }[kind];
  return [what, ...boundWords(range)].join(", ");
}

/** The default of an option in words: "10", "by the size of the data"; nothing for a switch. */
export function fallbackText({ fallback, control }: ShownOption): string | undefined {
  if (control.usual !== undefined) return control.usual;
  if (fallback === undefined || control.kind === "flag") return undefined;
  return String(fallback);
}

/** The effect of an option, in words. */
export function optionText({ fallback, control: { kind, says } }: ShownOption): string {
  return kind === "flag" && fallback === true ? `by default it ${says}; this turns it off` : says;
}

/** Anything with a length: arrays and typed arrays. */
export function isList(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && Number.isInteger((value as { length?: unknown }).length)
  );
}

/** The rules that many methods take as they are. */
export const seed = integer({ min: 0, default: 0 });
export const progress = callback<OnProgress>();
/** Of every method that takes `onProgress`. */
const signal = given<AbortSignal>(
  "an AbortSignal",
  (value) => typeof (value as Partial<AbortSignal> | null)?.throwIfAborted === "function",
);
export const names = texts("an array of column names");

/** The parts that are given. */
export function defined<T extends object>(parts: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(parts).filter(([, part]) => part !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}
