// What other rooms import from score/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { scores } from "./allScores.ts";
