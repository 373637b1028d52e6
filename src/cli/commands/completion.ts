import { Argument, Command } from "commander";
import { verbs } from "../verbs.ts";
import { writeOut } from "../output/terminal.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** The facts about a command that a shell needs. */
interface Completion {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly {
    readonly flag: string;
    readonly says: string;
    readonly choices: readonly string[];
  }[];
}

export function define(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      '\nbash: eval "$(kindred completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc;\n' +
        "fish: kindred completion fish > ~/.config/fish/completions/kindred.fish",
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const commands = await Promise.all(verbs.map(completionOf));
      await writeOut([shell === "fish" ? fish(commands) : bash(commands, shell)]);
    });
}

async function completionOf({ name, summary, load }: (typeof verbs)[number]): Promise<Completion> {
  const command = new Command(name);
  await (await load()).define(command, [name]);
  const flags = command.options
    .filter(({ long }) => long !== undefined)
    .map(({ long, description, argChoices }) => ({
      flag: long!,
      says: description,
      choices: argChoices ?? [],
    }));
  return { name, summary, flags };
}

/** bash, and zsh by its bashcompinit. Files are completed where nothing else applies. */
function bash(commands: readonly Completion[], shell: string): string {
  const cases = commands.flatMap(({ name, flags }) => [
    ...flags
      .filter(({ choices }) => choices.length > 0)
      .map(({ flag, choices }) => `    ${name}:${flag}) words="${choices.join(" ")}" ;;`),
    `    ${name}:*) [[ $cur == -* ]] && words="${flags.map(({ flag }) => flag).join(" ")}" ;;`,
  ]);
  return [
    ...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []),
    "_kindred() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")}" -- "$cur"))`,
    "    return",
    "  fi",
    '  case "${COMP_WORDS[1]}:$prev" in',
    ...cases,
    "  esac",
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi',
    "}",
    "complete -o filenames -F _kindred kindred",
    "",
  ].join("\n");
}

function fish(commands: readonly Completion[]): string {
  const lines = commands.flatMap(({ name, summary, flags }) => [
    `complete -c kindred -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...flags.map(({ flag, says, choices }) => {
      const values = choices.length === 0 ? "" : ` -xa ${quoted(choices.join(" "))}`;
      const under = `-n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
      return `complete -c kindred ${under} -l ${flag.slice(2)}${values} -d ${quoted(says)}`;
    }),
  ]);
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
