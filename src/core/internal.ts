// What other rooms import from core/ beside its public names (index.ts). `npm run lint` keeps it exact.
export {
  fileError,
  inOneLine,
  inputError,
  note,
  numericError,
  option,
  optionError,
  requireLabelFile,
  requireRows,
  spelled,
  errorOf,
  failureOf,
  type Reply,
} from "./messages.ts";
// The makers of stored forms and of option rules, with their types: `form.record({ ... })`, `rule.integer({ ... })`.
export * as form from "./codec.ts";
export {
  addressRoom,
  allowed,
  bytesText,
  environment,
  fileSystem,
  hasWildcard,
  machineMemory,
  nodeModule,
  pathExists,
  sourceFiles,
  THREAD_ADDRESSES,
} from "./host.ts";
export * as rule from "./options.ts";
export { defined } from "./options.ts";
// What `kindred/method` exports of them.
export {
  expectation,
  fallbackText,
  flagOf,
  optionText,
  parseValue,
  shownOptions,
  type OptionRules,
  type ShownOption,
} from "./options.ts";
export {
  absentColumn,
  clipped,
  have,
  knownNames,
  listed,
  literalOf,
  noClass,
  padded,
  percent,
  plural,
  shellWord,
  shortName,
  textWidth,
} from "./text.ts";
export { progressGate, type ProgressGate } from "./progress.ts";
export { extended, jsonOf, plain, type Plain } from "./result.ts";
export { double, leastOf, sparkWords, standardWords, type SqlWords } from "./sql.ts";
export { meanOf, medianOfSorted, sizesOf, softmax } from "./statistics.ts";
