import { resolve } from "node:path";
import type * as place from "#scripts/lib/place.ts";

/** The folder of the package's own files; the bundled scripts are in a folder of it. */
export const ROOT = resolve(import.meta.dirname, "..");

/** The folder in which the operator called the package. */
export const HOME = process.cwd();

/** The folder of Node's compile cache. Where the package cannot be written to, Node goes on without a cache. */
export const COMPILED = resolve(ROOT, "compiled");

/** The program of the operators' command line, and its first argument, for the completion of shells. */
export const FLORIN_PROGRAM: typeof place.FLORIN_PROGRAM = [
  process.execPath,
  resolve(ROOT, "server/florin.js"),
];

/** How an operator calls a command of the package: `npx florin demo`. The nouns of `npm run florin` are commands of their own. */
export const commandOf: typeof place.commandOf = (name, options) =>
  [
    "npx florin",
    ...(name === "florin" ? [] : [name]),
    ...(options === undefined ? [] : [options]),
  ].join(" ");
