import { expect, test } from "vitest";
import { clusterings } from "../../src/method/clusterings.ts";
import { comparedOrders } from "../fuzz/rowOrder.ts";

/* Ties are broken by values: rows that come in another order are clustered the same way, and to the last bit. */
test.each(["cc", "carp", "rcc", "scc", "ccml", "ccscml"])(
  "%s on 120 tables with ties, in two orders each",
  async (name) => {
    for (let seed = 0; seed < 120; seed++) {
      const { tried, wrong } = await comparedOrders(
        clusterings.find((known) => known.name === name)!,
        seed,
      );
      expect(wrong, `${tried}, seed ${seed}`).toBeUndefined();
    }
  },
);
