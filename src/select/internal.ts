// What other rooms import from select/ beside its public names (index.ts). `npm run lint` keeps it exact.
export {
  MOST_LEVELS,
  variable,
  levelLayout,
  occupiedClasses,
  tablesOfCounts,
  type LevelLayout,
} from "./discrete.ts";
export { discretizationOf, levelsOf, checkGiven, MOST_GIVEN } from "./discretize.ts";
export { addPairCounts } from "./pairInformation.ts";
