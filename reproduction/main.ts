import { Command, CommanderError } from "commander";
import { KindredError } from "kindred";
import { reproductions } from "./reproductions.ts";
import { tell } from "./runReproduction.ts";

const NAME = "npm run reproduce --";

// A reader that closes the pipe early (`| head`) has all it needs.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
  throw error;
});
process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0 done, 1 the input or the run failed, 2 the command was not understood. */
async function main(args: readonly string[]): Promise<number> {
  const program = new Command(NAME)
    .description("Repeats published tables and figures, and compares them.")
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  const wanted = reproductions.find(({ name }) => args.includes(name));
  try {
    for (const { name, summary } of reproductions) {
      const command = program.command(name).description(summary);
      if (name === wanted?.name) (await wanted.load()).define(command);
    }
    if (args.length === 0) program.help({ error: false });
    await program.parseAsync(args, { from: "user" });
    // An interrupted run, which printed its results, has set its own exit code.
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      const help = [NAME, ...(wanted === undefined ? [] : [wanted.name]), "--help"].join(" ");
      tell(`${error.message.replace(/^error: /, "")} (see ${help})`);
      return 2;
    }
    if (!(error instanceof KindredError)) throw error;
    tell(error.message);
    return error.kind === "option" ? 2 : 1;
  }
}
