import { resolve } from "node:path";

/** The project's folder; everything that is built lies below it. */
export const ROOT = resolve(import.meta.dirname, "../..");

export const inProject = (...path: readonly string[]): string => resolve(ROOT, ...path);

/** Wrangler's command line, without the script around it that loses signals. */
export const WRANGLER = inProject("node_modules/wrangler/wrangler-dist/cli.js");

/** What keeps wrangler from asking the internet for updates and places, and from sending statistics. */
export const WRANGLER_ENV: Readonly<Record<string, string>> = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
};

/** Something that the operator can put right. The message is a sentence for the terminal, shown without a stack. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
