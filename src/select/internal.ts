// What other rooms import from select/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { MOST_LEVELS, variable } from "./discrete.ts";
export { discretizationOf, levelsOf } from "./discretize.ts";
export { checkGiven, MOST_GIVEN } from "./givenLevels.ts";
export { levelLayout, occupiedClasses, tablesOfCounts, type LevelLayout } from "./levelCounts.ts";
export { addPairCounts } from "./pairKernel.ts";
