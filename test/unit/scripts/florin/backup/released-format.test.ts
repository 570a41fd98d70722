import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { LedgerEngine } from "#ledger-engine";
import type { SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import { systemClock } from "#platform/clock.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { readParts } from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import { saveBackup } from "#scripts/florin/backup/save-backup.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { linesOf } from "#test/support/ledger-engine/logs.ts";
import { BackupServer } from "#test/support/platform/backup/backup-server.ts";
import {
  RELEASED_PASSPHRASE,
  releasedBackup,
} from "#test/support/platform/backup/released-backup.ts";

const server = new BackupServer();
afterEach(() => server.close());

const note = (): void => undefined;

test("each snapshot of a backup of yesterday is complete, and its passphrase opens its keys", async () => {
  const folder = releasedBackup();
  const opener = { passphrase: RELEASED_PASSPHRASE };
  expect(folder.snapshots()).toHaveLength(2);
  for (const snapshot of folder.snapshots()) {
    const { problems, missingKeyIds, manifest } = await verifyBackup(folder, {
      snapshot,
      opener,
      note,
    });
    expect(problems).toEqual([]);
    expect(missingKeyIds).toEqual([]);
    expect(manifest.keyIds).toHaveLength(1);
    expect(manifest.ledgers.map(({ name }) => name)).toEqual(["shop", "plain", "empty"]);
  }
});

/** The ledger of a snapshot, as its server had it. */
function serve(folder: BackupFolder, { uuid, name, bucket, features }: SnapshotLedger): TestLedger {
  const sql = new NodeSql();
  // The server has the features that it once gave to the backup.
  const info = {
    uuid,
    name,
    bucket,
    features: features as unknown as LedgerEngine["info"]["features"],
  };
  LedgerEngine.create(sql, info);
  const ledger = new TestLedger({ sql, isStored: true, now: systemClock() });
  const text = readParts(folder.ledger(uuid))
    .map(({ log }) =>
      gunzipSync(readFileSync(join(folder.ledger(uuid), log.file))).toString("utf8"),
    )
    .join("");
  for (let lines = linesOf(text), taken = 0; taken < lines.length;) {
    const outcome = ledger.engine.importLogs({ texts: lines.slice(taken), before: taken });
    expect(outcome.failure).toBeUndefined();
    taken += outcome.taken;
  }
  server.ledgers.push({ id: server.ledgers.length + 1, uuid, engine: ledger.engine });
  return ledger;
}

test("a backup of yesterday is continued: only what is new is added, and both its snapshots stay complete", async () => {
  const folder = releasedBackup();
  const [first = "", last = ""] = folder.snapshots();
  const [shop, ...others] = readBackupManifest(folder.snapshot(last)).ledgers.map((ledger) =>
    serve(folder, ledger),
  );
  expect(others).toHaveLength(2);
  shop?.run(create(posting("world -> users:1", 7)));
  const made = await saveBackup({
    api: await server.open(),
    folder,
    kept: 7,
    keys: undefined,
    note,
  });
  expect(made).toMatchObject({ added: 1, failures: [] });
  expect(made.manifest.ledgers.map(({ parts, entries }) => [parts, entries])).toEqual([
    [3, 5],
    [1, 1],
    [0, 0],
  ]);
  for (const snapshot of folder.snapshots())
    expect((await verifyBackup(folder, { snapshot, note })).problems).toEqual([]);
  expect(folder.snapshots().slice(0, 2)).toEqual([first, last]);
});
