import made from "./fitted.json.ts";

/** What is believed before the answers, and what was reached at each support: made by `npm run fit:hints`. */
export const fitted = made;
