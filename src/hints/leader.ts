import { agreements } from "../judge/internal.ts";
import { fitted } from "./fitted.ts";
import type { Member } from "./posterior.ts";

/**
 * The member with the largest mean adjusted Rand index with all, by their weights. Who answers must not be harmed, so the usual
 * one counts more than its probability: a loss weighs more than a gain (`npm run fit:hints`).
 */
export function leaderOf(heard: readonly Member[], usual: Member): Member {
  const all = [{ ...usual, weight: usual.weight * fitted.caution }, ...heard.filter((one) => one !== usual)];
  const A = agreements(all.map(({ labels }) => labels));
  const expected = all.map((_, i) =>
    all.reduce((sum, { weight }, j) => sum + weight * A[i * all.length + j], 0),
  );
  const at = expected.reduce((best, value, i) => (value > expected[best] + 1e-9 ? i : best), 0);
  return at === 0 ? usual : all[at];
}
