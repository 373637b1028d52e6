import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { define as classify } from "../../src/cli/commands/classify.ts";
import { define as embed } from "../../src/cli/commands/embed.ts";
import { define as metric } from "../../src/cli/commands/metric.ts";
import { define as select } from "../../src/cli/commands/select.ts";
import { methodFlags } from "../../src/cli/options/words.ts";
import { ownOptions } from "../../src/run/plan.ts";
import { expectation, fallbackText, type Control } from "../../src/core/options.ts";
import { clusterings, flagOf, parseValue, shownOptions, type OptionRules } from "../../src/method/index.ts";
import { families, labels, X } from "./families.ts";

const each = families.map((method) => [`${method.family} ${method.name}`, method] as const);
const COMMANDS: Record<string, (command: Command, args: readonly string[]) => void | Promise<void>> = {
  metric,
  select,
  classify,
  embed,
};

test("names are unique in a family, and sentences are sentences", () => {
  expect(new Set(each.map(([name]) => name)).size).toBe(each.length);
  for (const { name, title, sentence } of families) {
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(title).toMatch(/^\S.*[^.\s]$/);
    expect(sentence).toMatch(/^[A-Zk].*\.$/);
    expect(sentence.length).toBeLessThan(125);
  }
});

describe.each(each)("%s", (_, method) => {
  test("a default that is declared is what is used", async () => {
    const { options, run } = await method.open();
    const plain = await run({});
    const declared = shownOptions(options).filter(
      ({ name, fallback }) => fallback !== undefined && !NEED_OTHERS.has(`${method.name} ${name}`),
    );
    const other: string[] = [];
    for (const { name, fallback } of declared) {
      if ((await run({ [name]: fallback })) !== plain) other.push(name);
    }
    expect(other).toEqual([]);
  });

  test("an option that it does not have is refused", async () => {
    const { run } = await method.open();
    await expect((async () => run({ unheard: 1 }))()).rejects.toThrow(/there is no option "unheard"/);
  });

  test("every option says what it does, what it takes and what happens without it", async () => {
    const { options } = await method.open();
    const lacking = shownOptions(options).filter(({ name, fallback, control }) => {
      const { says, usual, choices } = control;
      const taken =
        choices === undefined ? options[name].accepts(fallback) : choices.includes(fallback as never);
      const without = fallback === undefined ? usual !== undefined || /instead of/.test(says) : taken;
      return !/^\S.*[^.\s]$/.test(says) || expectation(control) === "" || !without;
    });
    expect(lacking).toEqual([]);
  });

  test("a flag gives the value that it was given", async () => {
    const { options } = await method.open();
    for (const { name, fallback, control } of shownOptions(options)) {
      for (const value of samples(control)) {
        const line =
          control.kind === "flag"
            ? [fallback === true ? `--no-${flagOf(name).slice(2)}` : flagOf(name)]
            : [flagOf(name), String(value)];
        const expected = control.kind === "flag" ? fallback !== true : value;
        expect({ line, ...parsed(options, line) }).toEqual({ line, [name]: expected });
        expect({ name, value: parseValue(control, String(expected)) }).toEqual({ name, value: expected });
      }
    }
    expect(parsed(options, [])).toEqual({});
  });

  test("what is out of range or no value is refused in words", async () => {
    const { options } = await method.open();
    for (const { name, control } of shownOptions(options).filter(({ control: own }) => own.kind !== "flag")) {
      const { kind, min, max, above, below } = control;
      const low = min === undefined ? above : min - 1;
      const high = max === undefined ? below : max + 1;
      const bounds = [low, high].filter((bound) => bound !== undefined).map(String);
      for (const text of ["", "much", "NaN", "1e999", ...(kind === "integer" ? ["1.5"] : []), ...bounds]) {
        expect({ name, text, value: parseValue(control, text) }).toEqual({ name, text, value: undefined });
        expect(() => parsed(options, [`${flagOf(name)}=${text}`])).toThrow(/It must be|Allowed choices/);
      }
    }
    expect(() => parsed(options, ["--unheard"])).toThrow(/unknown option/);
  });

  test.runIf(method.family in COMMANDS)("help has every option with its default", async () => {
    const { options } = await method.open();
    const command = new Command(method.family).configureHelp({ helpWidth: 1000 });
    await COMMANDS[method.family](command, [method.family, "--method", method.name]);
    const help = command.helpInformation();
    expect(help).toContain("--seed");
    expect(help).toContain(`Options of ${method.name}:`);
    for (const shown of shownOptions(options)) {
      const flag = flagOf(shown.name).slice(2);
      const line = help.split("\n").find((text) => new RegExp(`--(?:no-)?${flag}(?: |$)`).test(text));
      const fallback = fallbackText(shown);
      expect(line).toContain(shown.control.says);
      expect(line).toContain(fallback === undefined ? "" : `(default: ${fallback})`);
    }
  });
});

/** Options that are only taken together with another one. */
const NEED_OTHERS: ReadonlySet<string> = new Set(["fme trust"]);

function samples({ kind, choices, min, max, above, below }: Control): unknown[] {
  if (kind === "choice") return [...choices!];
  if (kind === "flag") return [true];
  const least = min ?? above ?? -2;
  const most = max ?? below ?? least + 4;
  const low = min ?? (above === undefined ? least : least + (most - least) / 8);
  const high = max ?? (below === undefined ? most : most - (most - least) / 8);
  if (kind === "numbers") return [[low], [low, high]];
  const values = [low, (low + high) / 2, high];
  return kind === "integer" ? [Math.ceil(low), Math.floor(high)] : values;
}

/** What a line sets of the options of a method. */
function parsed(rules: OptionRules, line: readonly string[]): object {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const flag of methodFlags(rules)) command.addOption(flag);
  // commander starts from true for what --no-x would switch off.
  const before = ownOptions(rules, command.opts());
  command.parse(line, { from: "user" });
  const after = Object.entries(ownOptions(rules, command.opts()));
  return Object.fromEntries(after.filter(([name, value]) => before[name] !== value));
}

describe("a method whose number of clusters is optional", () => {
  const optional = clusterings.filter(({ needs }) => needs.clusters === "optional");
  test.each(optional.map((method) => [method.name, method] as const))("%s", async (_, { needs, open }) => {
    const { fit, options } = await open();
    const given = needs.labels === "required" ? { labels } : {};
    const refused = await Promise.resolve()
      .then(() => fit(X, given))
      .then(
        () => false,
        (error: Error) => /clusters/.test(error.message),
      );
    expect(refused).toBe(needs.instead !== undefined);
    expect([...Object.keys(options), undefined]).toContain(needs.instead);
  });
});
