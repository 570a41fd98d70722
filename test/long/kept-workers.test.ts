import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { Api } from "#scripts/lib/api.ts";
import { inProject } from "#scripts/lib/project.ts";
import { unpackState } from "#scripts/lib/release/archive.ts";
import { releaseFiles } from "#scripts/lib/release/fixture.ts";
import { Facts, SCOPES, WORLD } from "#scripts/lib/release/world/facts.ts";
import { exportLog } from "#scripts/lib/release/world/world.ts";
import { startServer } from "#scripts/lib/runtime/server.ts";
import { readLocalSettings } from "#scripts/lib/settings/local.ts";
import { StateFolder } from "#scripts/lib/state.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { KNOWN_MIGRATIONS } from "#test/support/upgrade/rollout.ts";

/** Runs the stored Worker of a release on a state folder. */
async function startKept(version: string, path: string) {
  // The runtime loads modules only from below the project.
  const script = inProject("dist/kept", version, "index.js");
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, brotliDecompressSync(readFileSync(releaseFiles(version).worker)));
  const folder = await StateFolder.open(path);
  const secrets = folder.secrets();
  const vars = readLocalSettings({ FLORIN_STATE_DIR: path }).varsWith(secrets);
  try {
    const server = await startServer({ script, folder, port: 0, vars, onLog: () => undefined });
    const stop = async (): Promise<void> => {
      await server.stop();
      folder.release();
    };
    return { target: { url: server.url, ...secrets }, stop };
  } catch (error) {
    folder.release();
    throw error;
  }
}

test.each(Object.entries(KNOWN_MIGRATIONS))(
  "the Worker of %s goes on with a state that the code of today has used, or refuses it where tables have changed",
  async (version, known) => {
    const path = freshFolder();
    const files = releaseFiles(version);
    unpackState(files.state, path);
    const facts = Facts.parse(JSON.parse(readFileSync(files.facts, "utf8")));
    const today = await LocalServer.start(path);
    const postings = [{ source: "world", destination: "bank", amount: 1, asset: WORLD.asset }];
    await today.json(`/api/ledger/v2/${WORLD.ledger}/transactions`, { body: { postings } });
    expect(await today.stop()).toBe(0);

    const later = MIGRATIONS.filter((name) => !known.includes(name));
    const kept = startKept(version, path);
    // A release that reads the required migration goes on, as long as all others only add.
    if (later.length > 0 && !known.some((name) => name.endsWith("_required_migration.sql"))) {
      await expect(kept).rejects.toThrow(`does not know its migration ${later[0]}`);
      return;
    }
    const { target, stop } = await kept;
    try {
      const log = await exportLog(target, await Api.connect(target, SCOPES));
      expect(log.startsWith(facts.log)).toBe(true);
      expect(log.trimEnd().split("\n")).toHaveLength(facts.log.trimEnd().split("\n").length + 1);
    } finally {
      await stop();
    }
  },
);
