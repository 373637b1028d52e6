// What other rooms import from judge/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { sampleBelief } from "./sampleBelief.ts";
