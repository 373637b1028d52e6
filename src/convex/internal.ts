// What other rooms import from convex/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { countedRows, splitOptions } from "./recipe/byRepresentatives.ts";
export { clusterRepresentatives } from "./recipe/compressedCc.ts";
export { principalComponents } from "./recipe/principal.ts";
export { placeRows, rowLabels, type BorderCuts } from "./solve/borderCuts.ts";
