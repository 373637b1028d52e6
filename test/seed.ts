import * as fc from "fast-check";

/*
 * Properties try the same cases in every run, so that a run can be repeated. KINDRED_TEST_SEED=random looks at new
 * cases, and a number repeats the ones of a run that failed (fast-check prints its seed).
 */
const wanted = process.env.KINDRED_TEST_SEED ?? "1";
if (wanted !== "random") fc.configureGlobal({ seed: Number(wanted) });
