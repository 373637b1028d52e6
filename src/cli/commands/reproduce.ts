import type { Command } from "commander";
import { reproductions } from "../reproductions.ts";

/** The options appear once it is known what is to be reproduced, so that help and errors speak about that only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const names = reproductions.map(({ name }) => name);
  const wanted = reproductions.find(({ name }) => args.includes(name));
  command
    .addArgument(command.createArgument("<what>", "the published results").choices(names))
    .action(() => {});
  if (wanted !== undefined) (await wanted.load()).define(command);
  else command.addHelpText("after", listing());
}

function listing(): string {
  const lines = reproductions.map(({ name, summary }) => `  ${name}  ${summary}`);
  return ["", "What can be reproduced (kindred reproduce NAME --help shows its options):", ...lines].join(
    "\n",
  );
}
