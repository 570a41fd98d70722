import type { TestProject } from "vitest/node";
import { COMPILED } from "#scripts/lib/place.ts";
import type { ServerAddress } from "#scripts/lib/state.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** The server that test files share, as they get it by `inject`. */
export interface SharedAddress extends ServerAddress {
  readonly folder: string;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Absent in projects whose files start all their servers. */
    sharedServer?: SharedAddress;
  }
}

/** What a file needs to be different from a server without settings, and what disturbs no other file. */
const SETTINGS = {
  FLORIN_CLIENT_ID: TEST_SETTINGS.FLORIN_CLIENT_ID,
  FLORIN_CLIENT_SECRET: TEST_SETTINGS.FLORIN_CLIENT_SECRET,
  FLORIN_LIMIT_EXPORTS: TEST_SETTINGS.FLORIN_LIMIT_EXPORTS,
  // Concerns ledgers with schemas only.
  FLORIN_SCHEMA_ENFORCEMENT_MODE: "strict",
};

/** Lowers the cost of password hashes in a server, as in the contract tests. */
export const QUICK_PASSWORDS = {
  NODE_OPTIONS: `--import=${new URL("../auth/quick-passwords.ts", import.meta.url).href}`,
};

/**
 * Starts one server for all files of the project that need nothing but a running server, because a start takes longer than most of
 * these files:
 *
 *     start ── provide ──> file ──┐
 *                     ├──> file ──┼── the last file has ended ── stop, check of the log
 *                     └──> file ──┘
 *
 * The files run at once and in any order, so each uses names of its own, and none counts what a deployment has in all. The returned
 * function ends the server. It throws if the log shows what no log may show, which fails the run.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = freshFolder();
  const env = { ...SETTINGS, ...QUICK_PASSWORDS, NODE_COMPILE_CACHE: COMPILED };
  const server = await LocalServer.start(folder, env);
  const { url, clientId, clientSecret } = server;
  project.provide("sharedServer", { url, clientId, clientSecret, folder });
  return async () => {
    await server.stop();
  };
}
