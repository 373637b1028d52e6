// What other rooms import from rows/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { needsLabel } from "./selectFeatures.ts";
