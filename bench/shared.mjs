import { join } from "node:path";

/**
 * Files that are not in the repository: KINDRED_SHARED names their folder, by default `shared` beside the checkout;
 * KINDRED_DATA and KINDRED_PEERS name its parts `datasets` and `peers`. What needs them is skipped without them.
 */
export function shared(part, ...path) {
  const named = { datasets: process.env.KINDRED_DATA, peers: process.env.KINDRED_PEERS }[part];
  const folder = process.env.KINDRED_SHARED || join(import.meta.dirname, "..", "..", "shared");
  return join(named || join(folder, part), ...path);
}
