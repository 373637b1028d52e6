/**
 * Dates recur: the weekday, the season and the hour become cosine and sine of their angle, which together
 * have the variance of one standardised number. Days are counted from 1970-01-01, a Thursday.
 */
import { columnSpreads } from "../../data/internal.ts";
import { matrix } from "../../matrix/index.ts";
import type { CyclicEncoding } from "../featureRecord.ts";

const DAYS = { day: 1, week: 7, year: 365.2425 } as const;

export function learnCyclic(
  days: Float64Array,
  period: CyclicEncoding["period"],
): CyclicEncoding | undefined {
  const raw = encodeCyclic({ form: "cyclic", period, center: [0, 0], spread: 1 }, days);
  const present = raw.filter((value) => !Number.isNaN(value));
  if (present.length === 0) return undefined;
  const [c, s] = columnSpreads(matrix(present.length / 2, 2, present), ["", ""]);
  const variance = c.deviation ** 2 + s.deviation ** 2;
  if (variance < 1e-12) return undefined;
  return { form: "cyclic", period, center: [c.mean, s.mean], spread: Math.sqrt(variance) };
}

export function encodeCyclic(encoding: CyclicEncoding, days: Float64Array): Float64Array {
  const { period, center, spread } = encoding;
  const out = new Float64Array(2 * days.length);
  for (let i = 0; i < days.length; i++) {
    // A weekday is constant over the day; the season and the hour are continuous.
    const at = period === "week" ? Math.floor(days[i]) : days[i];
    const angle = (2 * Math.PI * at) / DAYS[period];
    out[2 * i] = (Math.cos(angle) - center[0]) / spread;
    out[2 * i + 1] = (Math.sin(angle) - center[1]) / spread;
  }
  return out;
}
