// What other rooms import from judge/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { agreements, expectedAgreement } from "./agreement.ts";
export { byVotes } from "./allRows.ts";
export { choiceOver } from "./choosePartition.ts";
export { sampleBelief } from "./sampleBelief.ts";
