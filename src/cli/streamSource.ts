export * from "../rows/streamSource.ts";
