import type { Rule } from "../../src/core/options.ts";
import type { Dice } from "./dice.ts";

type Rules = Readonly<Record<string, Rule<unknown>>>;

/** Options of a method, some in range and some not. */
export function nastyOptions(rules: Rules, roll: Dice, skipped: readonly string[]): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    if (skipped.includes(name) || !roll.chance(0.2)) continue;
    options[name] = roll.chance(0.15) ? roll.pick(WRONG) : inRange(rule, roll);
    if (options[name] === undefined) delete options[name];
  }
  if (roll.chance(0.02)) options.nonsense = 1;
  return options;
}

const WRONG: readonly unknown[] = [
  -1,
  0,
  0.5,
  1e9,
  2 ** 31,
  2 ** 53,
  1e300,
  Number.NaN,
  Infinity,
  "x",
  "",
  null,
  [],
  {},
  true,
];

function inRange({ control, fallback }: Rule<unknown>, roll: Dice): unknown {
  if (control === undefined) return roll.chance(0.5) ? fallback : undefined;
  const { kind, min, max, above, below, choices } = control;
  switch (kind) {
    case "choice":
      return roll.pick(choices ?? []);
    case "flag":
      return roll.chance(0.5);
    case "integer":
      return Math.min(max ?? Infinity, (min ?? 0) + roll.pick([0, 1, 2, 5, 20]));
    case "number": {
      const low = above ?? min ?? 0;
      const value = low + roll.pick([0, 1e-12, 1e-3, 0.1, 0.5, 1, 10, 1e6]);
      return Math.min(max ?? Infinity, below === undefined ? value : Math.min(value, below * 0.99));
    }
  }
}
