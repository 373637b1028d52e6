import { KindredError } from "../core/index.ts";
import { inputError } from "../core/internal.ts";
import { placingOf } from "../method/index.ts";
import { clusteringOf, type Clustering } from "./clustering.ts";
import { checkedModel } from "./modelForm.ts";
import { spaceOf } from "./space.ts";

/** A model from the content of its file: `loadModel(JSON.parse(text))`. */
export function loadModel(parsed: unknown): Clustering {
  if (typeof parsed === "string") {
    throw inputError("loadModel takes the parsed content of a model file: loadModel(JSON.parse(text))");
  }
  const { kindred: _, kind: __, labels, ...data } = checkedModel(parsed);
  // Shapes and references are checked before anything is computed.
  fitted(() => {
    placingOf(data.placing);
    spaceOf(data.space);
  });
  return clusteringOf(data, Int32Array.from(labels), fitted);
}

/** Valid parts of a file may still not fit each other. */
function fitted<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new KindredError(
      "input",
      "the parts of the model do not fit together: it is damaged",
      {},
      { cause: error },
    );
  }
}
