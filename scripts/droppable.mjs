// With one file per room, a bundler can no longer drop a module as a whole (`sideEffects` of package.json),
// only statements without known side effects. This plugin marks them: the top level of our modules only makes
// values.
import { parseAst } from "rolldown/parseAst";

/** Kinds of expressions without side effects if their parts have none. */
const HARMLESS =
  /^(Array|Binary|Object|Unary|Parenthesized)Expression$|^(Identifier|Literal|Property|TemplateElement|TemplateLiteral)$/;

/** Side-effect-free parts of the language that bundlers know. */
const KNOWN = /^(Math|Number)\.\w+$/;

/** A plugin for the files in the set `chosen`. */
export function droppable(chosen) {
  return {
    name: "droppable",
    renderChunk(code, { fileName }) {
      if (!chosen.has(fileName)) return undefined;
      let marked = code;
      for (const { start, end, call } of values(code).toReversed()) {
        const value = code.slice(start, end);
        const pure = `/* @__PURE__ */ ${call ? value : `(() => (${value}))()`}`;
        marked = marked.slice(0, start) + pure + marked.slice(end);
      }
      return { code: marked, map: undefined };
    },
  };
}

/** The positions of the top-level values that a bundler would keep, in order. */
function values(code) {
  const { body } = parseAst(code);
  const loose = body.find(({ type }) => !/^(Import|Export|Variable|Function|Class)/.test(type));
  const taken = body
    .flatMap(({ declarations = [] }) => declarations)
    .find(({ id }) => id.type !== "Identifier");
  for (const { start, end } of [loose, taken?.id].filter(Boolean)) {
    throw new Error(`a bundler would keep this, used or not: ${code.slice(start, end)}`);
  }
  return body
    .flatMap(({ declarations = [] }) => declarations.map(({ init }) => init))
    .filter(
      (init) => init && !isHarmless(init, code) && !code.slice(0, init.start).endsWith("/* @__PURE__ */ "),
    )
    .map(({ type, start, end, arguments: given }) => ({
      start,
      end,
      call: /^(Call|New)Expression$/.test(type) && given.every((part) => isHarmless(part, code)),
    }));
}

function isHarmless(node, code) {
  const { type, start, end, callee, computed } = node;
  if (/Function|^Class/.test(type)) return true;
  if (type === "MemberExpression") return KNOWN.test(code.slice(start, end));
  const parts = Object.values(node)
    .flat()
    .filter((part) => typeof part?.type === "string");
  if (type === "CallExpression" ? callee.type !== "MemberExpression" : !HARMLESS.test(type) || computed)
    return false;
  return parts.every((part) => isHarmless(part, code));
}
