import { expect, it } from "vitest";
import { toolsOf } from "../../scripts/judge/evidence.mjs";
import { smallFit } from "../../scripts/judge/smallFit.mjs";
import fitted from "../../src/judge/fitted.json" with { type: "json" };

it("a small fit gives the coefficients that the file has", async () => {
  const { beta, gamma } = await smallFit(await toolsOf());
  beta.forEach((b, e) => expect(b).toBeCloseTo(fitted.small.beta[e], 2));
  gamma.forEach((c, e) => expect(c).toBeCloseTo(fitted.small.gamma[e], 2));
}, 180_000);
