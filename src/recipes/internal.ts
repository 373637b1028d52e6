// What other rooms import from recipes/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { placeRows, rowLabels, type BorderCuts } from "./borderCuts.ts";
export { countedRows, splitOptions } from "./byRepresentatives.ts";
export { clusterRepresentatives } from "./compressedCc.ts";
