// Bundled before it is served: what a page with a bundler gets.
import { asTable, loadModel, namedData } from "kindred";
import { customersCsv, HINTS, program } from "../program/program.ts";

/** The lines of the program, from files as a browser has them. */
export function runProgram() {
  const file = (text) => new Blob([text]);
  return program(file(customersCsv()), file(HINTS), file(customersCsv()));
}

/** The names of models that place the rows of iris elsewhere than they did in Node. */
export async function misplacing(models) {
  const table = asTable(await namedData("iris"));
  return Object.entries(models).flatMap(([name, { model, labels }]) => {
    const placed = loadModel(model).assign(table).labels;
    return labels.some((label, i) => label !== placed[i]) ? [name] : [];
  });
}
