// What other rooms import from engine/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { checkedLabels } from "./cluster/writeLabels.ts";
export { countOf, joinedBatches } from "./engine.ts";
export { columnsOf } from "./engineTable.ts";
