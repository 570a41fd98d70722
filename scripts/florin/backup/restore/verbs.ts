import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { RestorationTokens } from "./restoration-tokens.ts";
import {
  abandonRestore,
  findKnown,
  restoreBackup,
  type RestoredSnapshot,
} from "./restore-backup.ts";
import { type BackupManifest, failuresOf } from "#platform/backup/saving/backup-manifest.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { hashOf } from "#scripts/florin/backup/file-hash.ts";
import type { Call, Outcome } from "#scripts/florin/command.ts";
import { findClientSecret, findServerUrl } from "#scripts/florin/login/access.ts";

/** A snapshot of a folder, by its name. */
async function snapshotIn(folder: BackupFolder, name: string): Promise<RestoredSnapshot> {
  const path = folder.snapshot(name);
  return {
    folder,
    path,
    manifest: readBackupManifest(path),
    sha256: await hashOf(join(path, MANIFEST)),
  };
}

/**
 * The snapshot that a command is about: the one that it names, or else the one whose restoration the server knows by its token, also where other
 * snapshots were made since it began, or else the last one.
 */
async function chosenSnapshot(
  call: Call,
  folder: BackupFolder,
  last: string,
): Promise<RestoredSnapshot> {
  if (call.text("snapshot") !== undefined) return snapshotIn(folder, last);
  const url = findServerUrl(call.env, call.url);
  for (const name of folder.snapshots().toReversed()) {
    const manifest = join(folder.snapshot(name), MANIFEST);
    if (!existsSync(manifest)) continue;
    const tokens = tokensOf(call, url, { sha256: await hashOf(manifest) });
    if ((await findKnown({ url, tokens })) === undefined) continue;
    if (name !== last) {
      call.note(`The server has begun with the snapshot ${name}: it is restored, and not ${last}.`);
    }
    return snapshotIn(folder, name);
  }
  return snapshotIn(folder, last);
}

/** What a restoration will do, as a sentence. */
function planOf(manifest: BackupManifest, url: string): string {
  const { moments, ledgers, failed = [], objects, keyIds } = manifest;
  const logs = [...ledgers, ...failed];
  const entries = logs.reduce((sum, ledger) => sum + ledger.entries, 0);
  const others = objects.reduce((sum, { objects: count }) => sum + count, 0);
  const keys =
    keyIds.length === 0
      ? "no key of the backup"
      : `the keys with the ids ${keyIds.join(", ")}, which florin backup keys prints`;
  const lacks = failuresOf(manifest).map((sentence) => ` ${sentence}`);
  return `The backup of ${moments.database} is restored into ${url}: the database, ${entries} entries of ${logs.length} ledgers, and ${others} other objects.${lacks.join("")} The server needs ${keys}. It is disarmed from now on, and gets the clients and people of the backup.`;
}

const tokensOf = (
  { env, url: option }: Call,
  url: string,
  { sha256: backup }: Pick<RestoredSnapshot, "sha256">,
): RestorationTokens =>
  new RestorationTokens(env, { url, backup, secret: findClientSecret(env, option) });

/** Restores a snapshot into the server of a command: the one that it names, or else `last`, unless another one is under way there. */
export async function restore(call: Call, folder: BackupFolder, last: string): Promise<Outcome> {
  const snapshot = await chosenSnapshot(call, folder, last);
  const url = findServerUrl(call.env, call.url);
  const restored = await restoreBackup({
    snapshot,
    url,
    connect: () => call.connect(["florin:operate"]),
    tokens: tokensOf(call, url, snapshot),
    isIncompleteAccepted: call.flag("incomplete"),
    confirm: () => call.confirm("restore", planOf(snapshot.manifest, url)),
    note: call.note,
  });
  const { tables, rows, ledgers, entries, objects } = restored;
  return {
    data: { snapshot: snapshot.path, moments: snapshot.manifest.moments, ...restored },
    lines: [
      `${url} has the backup of ${snapshot.manifest.moments.database}: ${rows} rows of ${tables} tables, ${entries} entries of ${ledgers} ledgers, whose hashes agree, and ${objects} other objects.`,
      ...statementLines(snapshot.manifest),
      "Take FLORIN_RESTORE away, and serve the deployment again: npm start with the same FLORIN_SECRET_KEY and FLORIN_PREVIOUS_SECRET_KEYS; a Worker by npm run deploy, which leaves its secrets as they are. Then it works, with the clients and people of the backup. A client that the settings of the server name works, too.",
      "It calls nobody: compare its payments with the providers, stop the original, and arm it (docs/operations/disarmed.md, “A restored copy”).",
      "Instances that triggers were to start from events of the last moments before the backup may be in neither of its parts: docs/operations/backup.md says how to find them.",
    ],
  };
}

/** What the operator has to know of statements' files, where the snapshot has lines of some whose bytes it does not have. */
export function statementLines({
  objects,
  files,
}: Pick<BackupManifest, "objects" | "files">): string[] {
  const sources = objects.find((saved) => saved.class === "StatementSourceObject")?.objects ?? 0;
  if (sources === 0) return [];
  if (files === undefined) {
    return [
      "Lines of statements are there, and the bytes of their files are not: an earlier version made the backup without them, so that their downloads answer 404.",
    ];
  }
  const missing = files.gone + (files.failed?.length ?? 0);
  if (missing === 0) return [];
  return [
    `The bytes of ${missing} files of statements are not in the backup: their downloads answer 404.`,
  ];
}

/** Gives up the restoration of a snapshot into the server of a command. */
export async function abandon(call: Call, folder: BackupFolder, last: string): Promise<Outcome> {
  const snapshot = await chosenSnapshot(call, folder, last);
  const url = findServerUrl(call.env, call.url);
  await call.confirm(
    "abandon",
    `The restoration into ${url} is given up. If a part was written, the deployment refuses everything from then on, and has to be made anew.`,
  );
  const makeAnew = await abandonRestore({
    snapshot,
    url,
    connect: () => call.connect(["florin:operate"]),
    tokens: tokensOf(call, url, snapshot),
  });
  return {
    data: { makeAnew },
    lines: [
      makeAnew
        ? `The restoration is given up. ${url} has a part of the backup, and refuses everything, with and without FLORIN_RESTORE: make the deployment anew, with an empty state folder or npm run deploy -- --destroy.`
        : `The restoration is given up before anything was written: ${resolve(folder.path)} was not touched, and ${url} is as it was, but disarmed: serve it without FLORIN_RESTORE, and arm it (florin arm).`,
    ],
  };
}
