import { Option } from "commander";
import { integerAtLeast } from "./arguments.ts";

/** Every command takes a seed, with or without random choices. */
export function seedOption(): Option {
  return new Option("--seed <n>", "seed of every random choice (default: 0)").argParser(integerAtLeast(0));
}
