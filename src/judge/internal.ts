// What other rooms import from judge/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { rowOrder } from "./rowOrder.ts";
export { sampleBelief } from "./sampleBelief.ts";
