// What other rooms import from metric/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { convex } from "./bregman/bregmanModel.ts";
export { kernelForm, KERNEL_RULES, narrowKernel } from "./kernelFunction.ts";
export { codedMoments, scatter } from "./moments/classMoments.ts";
export { whitenedRows } from "./moments/whitenedRows.ts";
