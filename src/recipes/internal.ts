// What other rooms import from recipes/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { placeRows, rowLabels, type BorderCuts } from "./borderCuts.ts";
export { convexByPasses } from "./byRepresentatives.ts";
