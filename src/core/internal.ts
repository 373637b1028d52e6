// What other rooms import from core/ beside its public names (index.ts). `npm run lint` keeps it exact.
export {
  fileError,
  inOneLine,
  inputError,
  numericError,
  option,
  optionError,
  spelled,
  type About,
} from "./errors.ts";
export {
  agreed,
  asStored,
  checked,
  choice,
  damaged,
  boolean,
  free,
  list,
  load,
  nullable,
  number,
  numbers,
  optional,
  record,
  size,
  table,
  tagged,
  text,
  textOr,
  unchecked,
  where,
  whole,
  wholes,
  type Form,
  type Length,
  type RecordForm,
  type LoadedOf,
  type Range,
  type StoredFields,
  type StoredOf,
} from "./codec.ts";
export { addressRoom, bytesText, machineMemory, THREAD_ADDRESSES } from "./host.ts";
export { absentColumn, knownNames } from "./text.ts";
export { environment, fileSystem, nodeModule, pathExists } from "./host.ts";
export { note } from "./notes.ts";
export {
  flag,
  flagOf,
  given,
  integer,
  isList,
  oneOf,
  real,
  reals,
  required,
  requireOptions,
  resolveOptions,
  without,
  type Control,
  type OptionRules,
  type OptionsOf,
  type ResolvedOptions,
  type Rule,
} from "./options.ts";
export { have, noClass, plural } from "./text.ts";
export { progressGate, type ProgressGate } from "./progress.ts";
export { requireRows } from "./errors.ts";
export { extended, jsonOf, plain, type Plain } from "./result.ts";
export { namesRule, progressRule, seedRule } from "./sharedRules.ts";
export { shellWord } from "./text.ts";
export { double, leastOf, sparkWords, standardWords, type SqlWords } from "./sql.ts";
export { shortName } from "./text.ts";
export { requireLabelFile } from "./errors.ts";
export { hasWildcard, sourceFiles } from "./host.ts";
export { meanOf, medianOfSorted, softmax } from "./statistics.ts";
export { padded, textWidth } from "./text.ts";
