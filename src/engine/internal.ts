// What other rooms import from engine/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { requireLabelTarget } from "./cluster/writeLabels.ts";
export { joinedBatches } from "./engine.ts";
export { columnsOf } from "./engineTable.ts";
