import { resolve } from "node:path";

/** The project's folder, which contains all build results. The package has a place of its own (`scripts/package/place.ts`). */
export const ROOT = resolve(import.meta.dirname, "../..");

/** The folder in which a local server keeps its state folder `.florin`, unless `FLORIN_STATE_DIR` names another one. */
export const HOME = ROOT;

/** The folder of Node's compile cache, which shortens the start of large programs. */
export const COMPILED = resolve(ROOT, "dist/compiled");

/** The program of the operators' command line, and its first argument, for the completion of shells. */
export const FLORIN_PROGRAM: readonly [string, string] = [
  resolve(ROOT, "node_modules/.bin/node"),
  resolve(ROOT, "scripts/florin.ts"),
];

/** How an operator calls a command: `commandOf("demo")` is `npm run demo`, and with options `npm run demo --`. */
export const commandOf = (
  name: "start" | "demo" | "listen" | "florin",
  options?: string,
): string => {
  const command = name === "start" ? "npm start" : `npm run ${name}`;
  return options === undefined ? command : `${command} -- ${options}`;
};
