import { createHash } from "node:crypto";
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import { DatabaseManifest, type SavedTable } from "#platform/backup/saving/manifest.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import { verifyDatabase } from "#scripts/florin/backup/verify-database.ts";
import {
  RELEASED_PASSPHRASE,
  releasedBackup,
} from "#test/support/platform/backup/released-backup.ts";

const lastOf = (folder: BackupFolder): string => folder.snapshots().at(-1) ?? "";
const inLast = (folder: BackupFolder, ...path: readonly string[]): string =>
  join(folder.snapshot(lastOf(folder)), ...path);

const verify = (folder: BackupFolder, passphrase?: string) =>
  verifyBackup(folder, {
    snapshot: lastOf(folder),
    opener: passphrase === undefined ? undefined : { passphrase },
    note: () => undefined,
  });

/** Writes another manifest into the last snapshot. */
function changeManifest(folder: BackupFolder, change: (manifest: BackupManifest) => object): void {
  const manifest = readBackupManifest(folder.snapshot(lastOf(folder)));
  writeFileSync(inLast(folder, "manifest.json"), JSON.stringify(change(manifest)));
}

test("each damage is listed, and none stops the checks of what comes after it", async () => {
  const folder = releasedBackup();
  const { ledgers } = readBackupManifest(folder.snapshot(lastOf(folder)));
  writeFileSync(inLast(folder, "keys.json"), "{");
  truncateSync(inLast(folder, "objects/EndpointObject.jsonl.gz"), 20);
  rmSync(inLast(folder, "objects/InstanceRunnerObject.jsonl.gz"));
  rmSync(inLast(folder, "database/audit.jsonl.gz"));
  const [shop, plain] = ledgers.map(({ uuid }) => folder.ledger(uuid));
  truncateSync(join(shop ?? "", "log-1-3.jsonl.gz"), 30);
  rmSync(plain ?? "", { recursive: true });
  const { problems } = await verify(folder);
  expect(problems).toEqual([
    expect.stringMatching(/^keys.json has \d+ bytes/),
    expect.stringMatching(/^EndpointObject.jsonl.gz has 20 bytes/),
    "InstanceRunnerObject.jsonl.gz is missing.",
    "audit.jsonl.gz is missing.",
    expect.stringMatching(/^shop: log-1-3.jsonl.gz has 30 bytes/),
    "plain: the list of its parts is another one than the manifest says.",
  ]);
});

test("a file that agrees with its description and is no text of its kind is listed as one that cannot be read", async () => {
  const folder = releasedBackup();
  const describe = (path: string, text: string | Buffer) => {
    writeFileSync(path, text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    return { bytes: statSync(path).size, sha256 };
  };
  const keys = describe(inLast(folder, "keys.json"), "{");
  const objects = describe(inLast(folder, "objects/EndpointObject.jsonl.gz"), gzipSync("{"));
  changeManifest(folder, (manifest) => ({
    ...manifest,
    keys: { file: "keys.json", ...keys },
    objects: manifest.objects.map((saved) =>
      saved.class === "EndpointObject" ? { ...saved, ...objects } : saved,
    ),
  }));
  const { problems } = await verify(folder);
  expect(problems).toEqual([
    expect.stringMatching(/^keys.json cannot be read: /),
    expect.stringMatching(/^EndpointObject.jsonl.gz cannot be read: /),
  ]);
});

test("a manifest whose ledgers are not those of the database is found, field by field", async () => {
  const folder = releasedBackup();
  changeManifest(folder, (manifest) => {
    const [shop, plain, empty] = manifest.ledgers;
    return {
      ...manifest,
      ledgers: [
        { ...shop, name: "store", publishedLogId: 5 },
        { ...plain, bucket: "b", features: { HASH_LOGS: "DISABLED" } },
      ],
      failed: [{ ...empty, uuid: crypto.randomUUID(), name: "ghost", reason: "gone" }],
    };
  });
  const { problems } = await verify(folder);
  expect(problems).toEqual([
    "The log of the ledger 'empty' is missing.",
    "The database does not know the ledger 'ghost'.",
    "The manifest has another name of the ledger 'shop' than the database.",
    "The manifest says of the ledger 'store' that more entries were published or imported than its log has.",
    "The manifest has another bucket of the ledger 'plain' than the database.",
    "The manifest has another list of features of the ledger 'plain' than the database.",
    "The ledger 'ghost' is not saved: gone",
  ]);
});

test("keys that the backup lacks are named, and a passphrase that does not open its keys is a problem", async () => {
  const folder = releasedBackup();
  expect(await verify(folder, RELEASED_PASSPHRASE)).toMatchObject({
    missingKeyIds: [],
    problems: [],
  });
  expect((await verify(folder, "tomorrow")).problems).toEqual([
    expect.stringContaining("The keys cannot be opened"),
  ]);
  const { keyIds } = readBackupManifest(folder.snapshot(lastOf(folder)));
  changeManifest(folder, (manifest) => ({ ...manifest, keyIds: [...keyIds, "0123456789ab"] }));
  expect(await verify(folder)).toMatchObject({ missingKeyIds: ["0123456789ab"], problems: [] });
  changeManifest(folder, (manifest) => ({ ...manifest, keys: null, keyIds }));
  expect(await verify(folder)).toMatchObject({ missingKeyIds: keyIds, problems: [] });
  expect((await verify(folder, RELEASED_PASSPHRASE)).problems).toEqual([
    "The keys are not in this backup, so that nothing opens them.",
  ]);
});

test("a manifest whose files lead out of the backup describes none", () => {
  for (const file of ["../../secret", "/etc/passwd", "a/../b", ".hidden", ""]) {
    const folder = releasedBackup();
    changeManifest(folder, (manifest) => ({
      ...manifest,
      database: { ...manifest.database, file },
    }));
    expect(() => readBackupManifest(folder.snapshot(lastOf(folder)))).toThrow(
      "does not describe a backup",
    );
  }
});

test("a list of tables that lacks one which the migrations of the database make is no complete backup", async () => {
  const folder = releasedBackup();
  const path = inLast(folder, "database", "manifest.json");
  const description = DatabaseManifest.parse(JSON.parse(readFileSync(path, "utf8")));
  const withoutTables = async (...names: readonly string[]): Promise<readonly string[]> => {
    const tables = description.tables.filter(({ name }) => !names.includes(name));
    const text = JSON.stringify({ ...description, tables });
    writeFileSync(path, text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    changeManifest(folder, (manifest) => ({
      ...manifest,
      database: { ...manifest.database, bytes: text.length, sha256 },
    }));
    return (await verify(folder)).problems;
  };
  expect(await withoutTables()).toEqual([]);
  expect(await withoutTables("webhook_configs", "audit")).toEqual([
    "The database lacks the table audit, which its version has.",
    "The database lacks the table webhook_configs, which its version has.",
  ]);
  expect(await withoutTables("d1_migrations")).toEqual([
    "The database lacks the table d1_migrations.",
  ]);
});

/** Writes rows as the file of a table whose key is `id`, and returns what `verifyDatabase` finds. */
async function problemsOfRows(rows: readonly string[]): Promise<readonly string[]> {
  const folder = inLast(releasedBackup(), "database");
  const bytes = gzipSync(rows.map((row) => `${row}\n`).join(""));
  writeFileSync(join(folder, "people.jsonl.gz"), bytes);
  const table: SavedTable = {
    name: "people",
    columns: ["id", "name"],
    key: ["id"],
    rows: rows.length,
    file: "people.jsonl.gz",
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  const path = join(folder, "manifest.json");
  const manifest = DatabaseManifest.parse(JSON.parse(readFileSync(path, "utf8")));
  writeFileSync(path, JSON.stringify({ ...manifest, tables: [...manifest.tables, table] }));
  return (await verifyDatabase(folder)).problems;
}

test.each([
  [["[1,2]", "[9007199254740993,2]", "[9007199254740994,2]"], []],
  [['["a",2]', '["\u00e9",2]', '["\u{1f600}",2]'], []],
  [["[1,2]", "[1,3]"], ["line 2 has the key of the line before."]],
  [["[2,2]", "[1,3]"], ["line 2 has a key that comes before that of the line before."]],
  [["[1,2]", "[2]"], ["line 2 has 1 values."]],
  [["[1,2]", "no row"], [expect.stringContaining("cannot be read")]],
])("the rows %j of a saved table have the problems %j", async (rows, problems) => {
  const found = await problemsOfRows(rows);
  expect(found.map((problem) => problem.replace("people.jsonl.gz: ", ""))).toEqual(problems);
});
