// What must work in a runtime that may read nothing, ask for nothing and start no thread: Deno without permissions.
import { kmeans } from "../../dist/cluster/index.js";
import { cluster, loadModel } from "../../dist/index.js";
import { adjustedRand } from "../../dist/score/index.js";

const truth = Array.from({ length: 600 }, (_, i) => i % 3);
const rows = truth.map((k, i) => [5 * k + Math.sin(i), Math.cos(3 * i) - 4 * k]);
const found = await cluster(rows, { clusters: 3 });
const placed = loadModel(JSON.parse(JSON.stringify(found))).assign(rows).labels;
const told = [kmeans(rows, { clusters: 3 }).labels, placed].map((labels) => adjustedRand(labels, truth));
if (told.join() !== "1,1") throw new Error(`adjusted Rand indices ${told.join(", ")}`);
