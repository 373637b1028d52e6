// Rooms import each other's names from lists (index.ts, internal.ts). A build that splits by file has to know the
// files behind these names: through a list as such, every room would need every file that the list names.
import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { parseAst } from "rolldown/parseAst";

const exported = new Map();

/** Whether a file only exports names of other files. */
export function isList(file) {
  return /^(index|internal)\.ts$/.test(basename(file));
}

/** The code of a file of src/, with the values that it imports from lists imported from their own files. */
export function pastLists(code, file) {
  let direct = code;
  for (const statement of fromFiles(code, file).toReversed()) {
    const { start, end, target } = statement;
    if (!isList(target) || !isValue(statement)) continue;
    const specifiers = specifiersOf(statement);
    if (!specifiers?.every(({ type }) => /^(Ex|Im)portSpecifier$/.test(type))) continue;
    const verb = statement.type === "ImportDeclaration" ? "import" : "export";
    const lines = specifiers.filter(isValue).map((one) => {
      const origin = originOf(target, (one.imported ?? one.local).name);
      const address = relative(dirname(file), origin.file).split(sep).join("/");
      const from = address.startsWith(".") ? address : `./${address}`;
      if (origin.name === "*") return `${verb} * as ${(one.exported ?? one.local).name} from "${from}";`;
      return `${verb} { ${origin.name} as ${(one.exported ?? one.local).name} } from "${from}";`;
    });
    direct = direct.slice(0, start) + lines.join(" ") + direct.slice(end);
  }
  return direct;
}

/** The file behind a name of a list, and the name there: "*" for all of its names under one. */
function originOf(file, name) {
  if (!isList(file)) return { file, name };
  if (!exported.has(file)) exported.set(file, namesOf(file));
  const { target, local } = exported.get(file).get(name);
  return originOf(target, local);
}

function namesOf(list) {
  const names = fromFiles(readFileSync(list, "utf8"), list).flatMap((statement) =>
    specifiersOf(statement).map((one) => [
      one.exported.name,
      {
        target: statement.target,
        local: one.local.name,
        exportKind: isValue(statement) ? one.exportKind : "type",
      },
    ]),
  );
  return new Map(names);
}

/** What a statement names; for `export *` from a list, all of its names. */
function specifiersOf({ type, specifiers, exported: together, target }) {
  if (type !== "ExportAllDeclaration") return specifiers;
  if (together) return [{ type: "ExportSpecifier", exported: together, local: { name: "*" } }];
  return Array.from(namesOf(target), ([name, { exportKind }]) => ({
    type: "ExportSpecifier",
    exported: { name },
    local: { name },
    exportKind,
  }));
}

/** The statements of a file that name another file. */
function fromFiles(code, file) {
  return parseAst(code, { lang: "ts" })
    .body.filter((statement) => statement.source?.value.startsWith("."))
    .map((statement) => ({ ...statement, target: join(dirname(file), statement.source.value) }));
}

function isValue({ importKind, exportKind }) {
  return importKind !== "type" && exportKind !== "type";
}
