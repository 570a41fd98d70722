import { resolve } from "node:path";
import { ROOT } from "./place.ts";

export { ROOT };
export { OperatorError } from "#platform/errors.ts";

export const inProject = (...path: readonly string[]): string => resolve(ROOT, ...path);

/** Wrangler's command line, without the wrapper script, which does not forward signals. */
export const WRANGLER = inProject("node_modules/wrangler/wrangler-dist/cli.js");

/** The environment of wrangler, which keeps it from asking the internet for updates and its location, and from sending statistics. */
export const WRANGLER_ENV: Readonly<Record<string, string>> = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
};

/** How wrangler writes the types of bindings. The empty file makes it ignore `.dev.vars`. */
export const WRANGLER_TYPES = [
  "types",
  "src/env.d.ts",
  "--include-runtime=false",
  "--env-file=/dev/null",
];
