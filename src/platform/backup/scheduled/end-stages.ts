import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { z } from "zod";
import { assertClaim } from "./bucket-owner.ts";
import { folderOfLedger } from "./bucket-parts.ts";
import { type Pieces, REMOVED_MAX, snapshotsIn } from "./bucket.ts";
import { folderOf } from "./database-stages.ts";
import { type Finish, KNOWN_FROM, type RunAt, type RunFacts, type RunTools } from "./run-state.ts";
import { describeText } from "./staged-file.ts";
import { KEYS, SNAPSHOTS } from "#platform/backup/saving/file-names.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import type { DescribedFile } from "#platform/backup/saving/part-folder.ts";
import { wrapToPublicKey } from "#platform/backup/saving/wrapped-keys.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Writes the keys and, last of all, the manifest: from then on the snapshot is complete, and none of its files changes. The manifest is there
 * already where the process has ended behind its put. A put of which R2 is slow, and which comes behind the one of the next try, has the same
 * bytes: the time at which the run has ended is stored first, and the keys are put once.
 */
export async function manifest({ tools, facts }: RunAt<"manifest">): Promise<Finish> {
  const { ended } = facts.moments;
  if (ended === undefined) {
    const now = new Date(tools.nowMs()).toISOString();
    return () => ({
      stage: { name: "manifest" },
      facts: { moments: { ...facts.moments, ended: now } },
    });
  }
  await assertClaim(tools.bucket, facts.claim);
  const found = await tools.bucket.get(`${folderOf(facts)}/${MANIFEST}`);
  const sha256 = found === undefined ? await complete(tools, facts) : sha256Of(found.bytes);
  const { failed } = tools.ledgers.counts();
  const objects = facts.classes.reduce(
    (sum, saved) => sum + tools.places.failedOf(saved.class).length,
    0,
  );
  const files = tools.files.failed().length;
  return () => {
    tools.ledgers.keep(facts.snapshot);
    tools.files.keep(facts.snapshot);
    return {
      stage: { name: "prune" },
      facts: { sha256, lacks: failed + objects + files },
    };
  };
}

/** Puts the keys and the manifest, and returns the SHA-256 of the manifest. */
async function complete(tools: RunTools, facts: RunFacts): Promise<string> {
  const keys = await writeKeys(tools, facts);
  const { pieces, sha256 } = manifestOf(tools, facts, keys);
  await tools.bucket.put(`${folderOf(facts)}/${MANIFEST}`, pieces);
  return sha256;
}

/** Puts the keys once: each time they are wrapped, the text is another one. */
async function writeKeys(
  { keys, bucket }: RunTools,
  facts: RunFacts,
): Promise<DescribedFile | null> {
  if (keys === undefined) return null;
  const key = `${folderOf(facts)}/${KEYS}`;
  const { text, ...described } = describeText(
    KEYS,
    await wrapToPublicKey(keys.keys, keys.publicKey),
  );
  if ((await bucket.putIf(key, text, undefined)) !== undefined) return described;
  const found = await bucket.get(key);
  if (found === undefined) throw new Error(`${key} was there, and is lost.`);
  return { file: KEYS, bytes: found.bytes.length, sha256: sha256Of(found.bytes) };
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The manifest, piece by piece, because it may name a hundred thousand ledgers; `BackupManifest` says what it has. */
function manifestOf(
  { ledgers, places, files }: RunTools,
  facts: RunFacts,
  keys: DescribedFile | null,
): { readonly pieces: Pieces; readonly sha256: string } {
  const [backup = "", ...laterBackups] = facts.session?.ids ?? [];
  const head = stringifyJson({
    format: 1,
    ...facts.versions,
    backup,
    ...(laterBackups.length === 0 ? {} : { laterBackups }),
    moments: facts.moments,
    database: facts.database,
    objects: facts.classes.map((saved) => withFailures(saved, places.failedOf(saved.class))),
    ...(facts.files === undefined ? {} : { files: withFailures(facts.files, files.failed()) }),
    keys,
    keyIds: facts.keyIds,
  });
  const hasFailed = ledgers.counts().failed > 0;
  const texts = function* (): Generator<string> {
    yield head.slice(0, -1);
    yield* listOf("ledgers", ledgers.saved());
    if (hasFailed) yield* listOf("failed", ledgers.failed());
    yield* listOf("purged", ledgers.purged());
    yield "}\n";
  };
  const all = function* (): Generator<Uint8Array> {
    for (const text of texts()) yield Buffer.from(text);
  };
  const hash = createHash("sha256");
  let bytes = 0;
  for (const piece of all()) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { pieces: { bytes, all }, sha256: hash.digest("hex") };
}

const withFailures = (saved: object, failed: readonly object[]): object =>
  failed.length === 0 ? saved : { ...saved, failed };

/** A member of an object in JSON whose value is a list. */
function* listOf(name: string, items: Iterable<string>): Generator<string> {
  let before = `,${stringifyJson(name)}:[`;
  for (const item of items) {
    yield before + item;
    before = ",";
  }
  yield before === "," ? "]" : `${before}]`;
}

/**
 * Removes a piece of what is older than the last snapshots, and of what runs have left that broke off; nothing as long as the new one lacks
 * something. A snapshot loses its manifest first, so that nobody takes a part of it for the whole.
 */
export async function prune({ tools, facts }: RunAt<"prune">): Promise<Finish> {
  const { complete, incomplete } = await snapshotsIn(tools.bucket);
  const older = facts.lacks === 0 ? complete.slice(0, -tools.kept) : [];
  const [doomed] = [...incomplete.filter((name) => name < facts.snapshot), ...older];
  if (doomed !== undefined) {
    await removeFolder(tools, `${SNAPSHOTS}/${doomed}`);
    return () => ({ stage: { name: "prune" } });
  }
  if (facts.lacks !== 0) return () => ({ stage: undefined });
  const oldest = complete[0] ?? facts.snapshot;
  const files = knowsAll(tools, oldest) ? tools.files.unneeded(oldest, REMOVED_MAX) : [];
  if (files.length > 0) {
    await tools.bucket.remove(files);
    return () => {
      for (const key of files) tools.known.forget(key);
      return { stage: { name: "prune" } };
    };
  }
  const uuid = nextUnneeded(tools, oldest);
  if (uuid === undefined) return () => ({ stage: undefined });
  await removeFolder(tools, folderOfLedger(z.uuid().parse(uuid)));
  return () => {
    tools.ledgers.forgetKept(uuid);
    return { stage: { name: "prune" } };
  };
}

/**
 * A ledger whose parts no snapshot from `oldest` on relies on: it was purged. If no snapshot has ever named it, a run has saved it that has failed.
 * Nothing of this is known as long as there is a snapshot whose ledgers the object has not noted.
 */
function nextUnneeded(tools: RunTools, oldest: string): string | undefined {
  if (!knowsAll(tools, oldest)) return undefined;
  const { ledgers } = tools;
  return ledgers.nextUnneeded(oldest) ?? ledgers.nextUnnamed();
}

/** Whether the object has noted what all snapshots from `oldest` on rely on. */
function knowsAll({ kv }: RunTools, oldest: string): boolean {
  const from = kv.get<string>(KNOWN_FROM);
  return from !== undefined && oldest >= from;
}

async function removeFolder({ bucket, known }: RunTools, folder: string): Promise<void> {
  await bucket.remove([`${folder}/${MANIFEST}`]);
  for (;;) {
    const { files, cursor } = await bucket.list(`${folder}/`, { isFolder: false });
    const keys = files.map(({ key }) => key).slice(0, REMOVED_MAX);
    if (keys.length > 0) await bucket.remove(keys);
    for (const key of keys) known.forget(key);
    if (cursor === undefined) return;
  }
}
