import { expect, test } from "vitest";
import { EVIDENCE, type Evidence } from "../../src/judge/evidence.ts";
import fitted from "../../src/judge/fitted.json" with { type: "json" };
import { METHODS } from "../../src/judge/members.ts";
import {
  directEvidence,
  odds,
  plausibility,
  termsOf,
  trustTerms,
  widthOf,
} from "../../src/judge/plausibility.ts";

const { mean, deviation, beta, gamma, softness } = fitted.plausibility;
const usual = Object.fromEntries(EVIDENCE.map((name, e) => [name, mean[e]])) as Evidence;

test("the terms are the evidence and the method", () => {
  const terms = termsOf(usual, "genie");
  expect(terms).toHaveLength(EVIDENCE.length + METHODS.length);
  expect(terms.slice(0, EVIDENCE.length)).toEqual(mean.slice(0, EVIDENCE.length));
  expect(terms[EVIDENCE.length + METHODS.indexOf("genie")]).toBe(1);
  expect(terms.slice(EVIDENCE.length).reduce((a, b) => a + b)).toBe(1);
});

test("a table is as wide as the logarithm of its columns, from 2 to 20", () => {
  expect([1, 2, 20, 300].map(widthOf)).toEqual([-1, -1, 1, 1]);
  expect(widthOf(Math.sqrt(40))).toBeCloseTo(0, 12);
  expect(widthOf(4)).toBeCloseTo((2 * Math.log(2)) / Math.log(10) - 1, 12);
});

test("one evidence more changes the odds by its coefficient at this width", () => {
  const e = EVIDENCE.indexOf("stability");
  const more = { ...usual, stability: usual.stability + deviation[e] };
  for (const width of [-1, 0, 0.4, 1]) {
    const [a, b] = plausibility([{ method: "ward" }, { method: "ward" }], [more, usual], width);
    expect(a + b).toBeCloseTo(1, 12);
    const own = (c: readonly number[]): number => c[e] + width * c[c.length / 2 + e];
    expect(Math.log(a / b)).toBeCloseTo(own(beta), 10);
    const direct = (one: Evidence): number => directEvidence({ method: "ward" }, one, width);
    expect(direct(more) - direct(usual)).toBeCloseTo(own(gamma), 10);
  }
});

test("the odds of two partitions follow from their support", () => {
  expect(odds(0)).toBe(1);
  expect(odds(softness * Math.log(3))).toBeCloseTo(3, 10);
});

test("trust depends on the evidence, on the width, and on what the evidence is worth there", () => {
  const own = EVIDENCE.map((name) => usual[name]);
  expect(trustTerms(usual, -0.5)).toEqual([...own, -0.5, ...own.map((value) => -0.5 * value)]);
});
