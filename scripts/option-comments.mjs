// Puts comments into the declarations in dist/, where editors show them. The options of a method may come from the rules of
// another file (`...RUN_RULES`), and tsc writes their types without their comments. A file on one method starts with what
// the method is: that is the comment of its function.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src");
const dist = join(root, "dist");

/** The rules of all files, by file and name: their text, property by property. */
const rules = new Map();
for (const file of files(source, ".ts")) {
  const text = readFileSync(file, "utf8");
  for (const [, name, body] of text.matchAll(/^(?:export )?const (\w+) = \{\n([^]*?)^\};/gm)) {
    rules.set(name, [...(rules.get(name) ?? []), { file, body }]);
  }
}

for (const file of files(dist, ".d.ts")) {
  const text = readFileSync(file, "utf8");
  const from = join(source, relative(dist, file).replace(/\.d\.ts$/, ".ts"));
  const filled = text.replaceAll(
    /^((?:export )?declare const (\w+): \{\n)([^]*?)(^\};)/gm,
    (whole, head, name, body, end) => {
      const comments = commentsOf(name, from);
      if (comments.size === 0) return whole;
      return (
        head +
        body.replaceAll(/(?<!\*\/\n)^ {4}(\w+): /gm, (line, option) => {
          const comment = comments.get(option);
          return comment === undefined ? line : `${comment.replaceAll(/^ {2}/gm, "    ")}\n${line}`;
        }) +
        end
      );
    },
  );
  const headed = withHeader(filled, from);
  if (headed !== text) writeFileSync(file, headed);
}

/**
 * The first comment of a source says what its method is; it also stands above the function that has the name of the file and no
 * comment of its own.
 */
function withHeader(text, from) {
  if (!existsSync(from)) return text;
  const [header] = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n/m.exec(readFileSync(from, "utf8")) ?? [];
  if (header === undefined) return text;
  const first = new RegExp(`(?<!\\*/\\n)^export declare function ${basename(from, ".ts")}\\b`, "m");
  return text.replace(first, (declared) => `${header}${declared}`);
}

/** The comments of the options in these rules, with those of the rules that they contain; without one, what a rule says. */
function commentsOf(name, from) {
  const found = rules.get(name) ?? [];
  const own = found.find(({ file }) => file === from) ?? (found.length === 1 ? found[0] : undefined);
  const comments = new Map();
  if (own === undefined) return comments;
  for (const [, spread, comment, option, rule] of own.body.matchAll(
    /^ {2}(?:\.\.\.(\w+)|((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n {2})?)(\w+):((?:.*\n {4}.*)*.*))/gm,
  )) {
    if (spread !== undefined) {
      for (const [inner, text] of commentsOf(spread, own.file)) comments.set(inner, text);
    } else if (comment !== "") comments.set(option, `  ${comment.trimEnd()}`);
    else if (/says: "/.test(rule)) comments.set(option, saidOf(rule));
  }
  return comments;
}

/** What a rule says to people, with its default, as a comment. */
function saidOf(rule) {
  const [, says] = /says: "([^"]*)"/.exec(rule);
  const [, usual] =
    /usual: "([^"]*)"/.exec(rule) ??
    /default: ([^,\s]+)/.exec(rule) ??
    /(?:\]|const), ("\w+")/.exec(rule) ??
    [];
  return `  /** ${says[0].toUpperCase()}${says.slice(1)}${usual === undefined ? "" : `; default: ${usual}`}. */`;
}

function files(folder, end) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith(end));
}
