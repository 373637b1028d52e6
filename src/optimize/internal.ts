// What other rooms import from optimize/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { acceleration } from "./acceleration.ts";
export { conjugateGradients } from "./conjugateGradients.ts";
export { goldenSection } from "./goldenSection.ts";
