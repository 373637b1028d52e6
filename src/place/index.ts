// Places rows by a model file, and holds nothing else: for a service or a page that only scores.
export { loadScorer, type Scored, type ScoredRow, type Scorer } from "./loadScorer.ts";
