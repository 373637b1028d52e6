import { random } from "../../src/core/random.ts";

/** Random choices that a seed repeats. */
export interface Dice {
  /** In [0, 1). */
  share(): number;
  /** From 0 to below `count`. */
  below(count: number): number;
  chance(share: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

export function dice(seed: number): Dice {
  const source = random(seed);
  const share = (): number => source.uniform();
  const below = (count: number): number => Math.floor(share() * count);
  return {
    share,
    below,
    chance: (part) => share() < part,
    pick: (choices) => choices[below(choices.length)],
  };
}

/** A case that must not go wrong: what was tried, and what is wrong with the outcome if something is. */
export interface Outcome {
  readonly tried: string;
  readonly wrong?: string;
}

/** `announce` tells what is about to be tried, so that it is known of a case that never ends. */
export type Case = (seed: number, announce?: (tried: string) => void) => Promise<Outcome>;

/**
 * Errors on purpose are one sentence; anything else that is thrown is a fault.
 *
 * @param holes whether a NaN was given, which an error may then speak of
 */
export function fault(error: unknown, holes = true): string | undefined {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  if (error.name !== "KindredError") return `threw ${error.stack ?? error.message}`;
  if (
    error.message.trim() === "" ||
    (holes ? NO_SENTENCE : /\n|\[object |(?<!got )undefined|\bNaN\b/).test(withoutQuotes(error.message))
  ) {
    return `an error that is no sentence: ${error.message}${process.env.KINDRED_DEBUG === "1" ? error.stack : ""}`;
  }
  return undefined;
}

/** "got undefined" is what was given. */
const NO_SENTENCE = /\n|\[object |(?<!got )undefined/;

/** What an error quotes from the data may be anything. */
function withoutQuotes(message: string): string {
  return message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
}

/** The place of the first number that is not finite, however deep. */
export function notFinite(value: unknown, at = "result"): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${at} is ${value}`;
  if (typeof value !== "object" || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    const numbers = value as unknown as ArrayLike<number>;
    for (let i = 0; i < numbers.length; i++) {
      if (typeof numbers[i] === "number" && !Number.isFinite(numbers[i]))
        return `${at}[${i}] is ${numbers[i]}`;
    }
    return undefined;
  }
  for (const [name, part] of Object.entries(value)) {
    const found = notFinite(part, `${at}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
