// What other rooms import from hints/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { unhintedLibrary } from "./unhinted.ts";
