// What other rooms import from compare/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { sampleSize } from "./choosePartition.ts";
export { borders } from "./evidence/border.ts";
export { partitionIcl, weakest } from "./evidence/judge.ts";
export { partition, rowCodes } from "./partition.ts";
export { rowOrder } from "./rowOrder.ts";
export { judgedSpace, type JudgedSpace } from "./space.ts";
