/**
 * Runs cases one after the other for scripts/fuzz.mjs, which watches it: every case is announced before it runs, so that
 * one that hangs, takes too much memory or ends the process is known.
 */
import { KINDS } from "./cases.ts";

process.on("message", async (message: { readonly kind: string; readonly seed: number }) => {
  const { kind, seed } = message;
  const outcome = await KINDS[kind]
    .run(seed, (tried) => process.send!({ announced: tried }))
    .catch((error: unknown) => ({
      tried: "",
      wrong: `the case itself: ${(error as Error).stack}`,
    }));
  process.send!({ seed, ...outcome });
});
process.on("disconnect", () => process.exit(0));
process.send!({ ready: true });
