// The same calls as on the main entry, computed in a thread of their own, so that timers, requests and pages go on.
export { cluster, compare, learnFromHints, type InThread, type Thread } from "./inThread.ts";
