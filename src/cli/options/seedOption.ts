import { Option } from "commander";
import { integerAtLeast } from "./arguments.ts";

/** Every command takes a seed, whether it makes a random choice or not. */
export function seedOption(): Option {
  return new Option("--seed <n>", "seed of every random choice (default: 0)").argParser(integerAtLeast(0));
}
