import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { addressRoom } from "../core/internal.ts";
import { failureJson, failureOf, usageOf } from "./failure.ts";
import { seedOption } from "./options/words.ts";
import { keepQuiet, reason, tell } from "./output/terminal.ts";
import { verbs } from "./verbs.ts";
import { version } from "./manifest.ts";

/** Answers the words of a command line, and returns the exit code (failure.ts). */
export async function program(given: readonly string[]): Promise<number> {
  // Most functions of a command run for less time than it takes to optimise them. The compiler of Node 20 optimises
  // them seven times later with this flag: a short command takes a third less CPU time, a long one the same. Newer
  // versions have other rules, and do not know the flag.
  if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=1000000");
  quietOnClosedPipe();
  // A process under a limit on addresses leaves the work to another one (KINDRED_UNDER_LIMIT=1).
  const limited = process.env.KINDRED_UNDER_LIMIT !== "1" && addressRoom() !== Infinity;
  return limited ? (await import("./underLimit.ts")).underLimit(given) : main(given);
}

async function main(args: readonly string[]): Promise<number> {
  const program = new Command("kindred")
    .description('Learns what "alike" means in a data set, then clusters by it.')
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .hook("preAction", (_, command) => {
      if (command.opts<{ quiet?: boolean }>().quiet === true) keepQuiet();
    });

  // Only the requested command is loaded; the others are a line in the help.
  const named = args.filter((arg) => !arg.startsWith("-"));
  const wanted = named[0] === "help" ? named[1] : named[0];
  const loaded = new Set(named[0] === "help" ? named.slice(0, 2) : [named[0]]);
  try {
    for (const verb of verbs) {
      const command = program.command(verb.name).description(verb.summary);
      if (!loaded.has(verb.name)) continue;
      await (await verb.load()).define(command, args);
      // A script may give every command the same seed: commands without random choices accept and ignore it.
      if (!command.options.some(({ long }) => long === "--seed")) command.addOption(seedOption().hideHelp());
      command.option("-q, --quiet", "print no notes and no progress on standard error, only errors");
    }
    if (args.length === 0) program.help({ error: false });
    await program.parseAsync(args, { from: "user" });
    // An interrupted command that printed its partial results has set its own exit code.
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const understood = verbs.find((verb) => verb.name === wanted)?.name;
    const command = program.commands.find((one) => one.name() === understood);
    const flags = command?.options.flatMap(({ long, short }) => [long ?? "", short ?? ""]) ?? [];
    const failure = usageOf(error, understood, flags) ?? failureOf(error, flags);
    if (failure.line !== undefined) process.stderr.write(`${failure.line}\n`);
    if (failure.code !== 0 && args.includes("--json"))
      process.stdout.write(`${failureJson(error, failure)}\n`);
    return failure.code;
  }
}

/**
 * Data goes to standard output, messages to standard error. A reader that closes the pipe early (`| head`)
 * has all it needs, so the command ends silently; a full disk is reported.
 */
function quietOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
      if (stream === process.stdout) tell(`kindred: standard output cannot be written (${reason(error)})`);
      process.exit(1);
    });
  }
}
