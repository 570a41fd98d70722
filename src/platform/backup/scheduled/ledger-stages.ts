import { bucketParts, listOfParts } from "./bucket-parts.ts";
import { RunFailure } from "./run-failure.ts";
import type { WantedLedger } from "./run-ledgers.ts";
import { sessionOf } from "./run-session.ts";
import type { Finish, RunAt, RunTools } from "./run-state.ts";
import type { SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import { describedFailure, describedLedger } from "#platform/backup/saving/described-ledgers.ts";
import { isThere, replaceLostPart } from "#platform/backup/saving/lost-parts.ts";
import { assertContinues, saveNextPart } from "#platform/backup/saving/save-ledger.ts";
import { NotContinuedError, type PartSave } from "#platform/backup/saving/save-part.ts";
import { isListed, readLedgers } from "#platform/backup/saving/saved-ledgers.ts";
import { OperatorError } from "#platform/errors.ts";

/** A part is one answer of the server, of 16 MB of text at most: its files are in memory until they are in the bucket. */
const PART_MAX = { entries: 1, bytes: 1 } as const;

/** Ledgers that are described in one step, where nothing is read for them. */
const DESCRIBED_MAX = 200;

/** Notes up to where events of ledgers are published, a page of ledgers at a time. */
export async function heads({ tools, facts, stage }: RunAt<"heads">): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  const page = await readLedgers(reads, stage.after);
  const published = new Date(tools.nowMs()).toISOString();
  return () => {
    tools.ledgers.notePublished(page);
    const more = { session, moments: { ...facts.moments, published } };
    return page.next === undefined
      ? { stage: { name: "copy", tries: 1 }, facts: more }
      : { stage: { name: "heads", after: page.next }, facts: more };
  };
}

/** Notes how far the logs of the ledgers go that the database has. */
export async function ends({ tools, facts, stage }: RunAt<"ends">): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  const page = await readLedgers(reads, stage.after);
  return () => {
    tools.ledgers.noteEnds(page);
    return page.next === undefined
      ? { stage: { name: "compare", after: 0 }, facts: { session } }
      : { stage: { name: "ends", after: page.next }, facts: { session } };
  };
}

/**
 * Compares the next log with what was saved of it, before anything is added to one. Ledgers of which everything is saved, files included, are
 * described at once, many in a step.
 */
export async function compare(run: RunAt<"compare">): Promise<Finish> {
  const { tools, stage } = run;
  const { ledgers } = tools;
  const described: SnapshotLedger[] = [];
  let { after } = stage;
  let ledger = ledgers.next(after);
  while (ledger !== undefined && described.length < DESCRIBED_MAX) {
    const saved = await describedIfSaved(tools, ledger);
    if (saved === undefined) break;
    described.push(saved);
    after = ledger.number;
    ledger = ledgers.next(after);
  }
  if (described.length > 0) {
    return () => {
      for (const saved of described) ledgers.noteSaved(saved);
      return { stage: { name: "compare", after } };
    };
  }
  if (ledger === undefined) return () => ({ stage: { name: "logs", after: 0, isReady: false } });
  const { number } = ledger;
  return attempt(run, ledger, async (save) => {
    await assertPartsKept(run, save);
    await assertContinues(save);
    return () => ({ stage: { name: "compare", after: number } });
  });
}

/** The description of a ledger that has nothing new, and whose list of parts and files are as they were; undefined for any other one. */
async function describedIfSaved(
  { bucket, known, ledgers }: RunTools,
  { row: { uuid }, listed, publishedLogId }: WantedLedger,
): Promise<SnapshotLedger | undefined> {
  const kept = ledgers.keptOf(uuid);
  if (listed === undefined || kept === undefined) return undefined;
  const folder = bucketParts(bucket, known, uuid);
  if ((await folder.hashOf(kept.parts)) !== kept.partsSha256) return undefined;
  const parts = await folder.parts();
  const last = parts.at(-1);
  const isEnd = listed.lastLogId === (last?.to ?? -1) && listed.lastHash === (last?.lastHash ?? "");
  // A log without hashes is asked for its last entry.
  if (!isEnd || last?.lastHash === "") return undefined;
  for (const part of parts) if (!(await isThere(folder, part))) return undefined;
  return describedLedger(listed, folder, publishedLogId);
}

/** Throws `RunFailure` where a list of parts is not the one that the last snapshot relies on: nothing may be added to it. */
async function assertPartsKept({ tools }: RunAt<"compare">, save: PartSave): Promise<void> {
  const kept = tools.ledgers.keptOf(save.ledger.uuid);
  if (kept === undefined || (await save.folder.hashOf(kept.parts)) === kept.partsSha256) return;
  throw new RunFailure(
    `The list of parts of the ledger '${save.ledger.name}' in the bucket is another one than the last snapshot relies on: it was changed or lost. Bind another bucket.`,
  );
}

/** Replaces the next lost part of a log, or saves the next new one; behind the last one, the ledger's description. */
export async function logs(run: RunAt<"logs">): Promise<Finish> {
  const { tools, facts, stage } = run;
  const ledger = tools.ledgers.next(stage.after);
  if (ledger === undefined) return describeFailure(run);
  return attempt(run, ledger, async (save) => {
    // The list may have a part that the object does not know, because the process has ended, or the answer was lost, behind its put.
    await tools.known.readAgain(listOfParts(ledger.row.uuid));
    const parts = await save.folder.parts();
    if (!stage.isReady) {
      await save.folder.prepare();
      if (await replaceLostPart(save, parts)) return () => ({ stage });
    }
    const part = await saveNextPart(save, parts.at(-1));
    if (part !== undefined) {
      return () => ({
        stage: { ...stage, isReady: true },
        facts: { added: facts.added + part.entries },
      });
    }
    const last = parts.at(-1);
    if (last !== undefined && !(await isThere(save.folder, last))) {
      return () => ({ stage: { ...stage, isReady: false } });
    }
    const described = await describedLedger(save.ledger, save.folder, ledger.publishedLogId);
    return () => {
      tools.ledgers.noteSaved(described);
      return { stage: { name: "logs", after: ledger.number, isReady: false } };
    };
  });
}

/** Describes what the bucket has of the next ledger that has failed; behind the last one, the files of objects follow. */
async function describeFailure({ tools }: RunAt<"logs">): Promise<Finish> {
  const failed = tools.ledgers.nextFailed();
  if (failed === undefined) return () => ({ stage: { name: "kept-files" } });
  const { uuid, name } = failed.row;
  const folder = bucketParts(tools.bucket, tools.known, uuid);
  const failure = {
    uuid,
    name,
    reason: failed.reason,
    importedLogId: failed.listed?.importedLogId,
  };
  const described = await describedFailure(failure, folder, failed.publishedLogId);
  return () => {
    tools.ledgers.noteDescribedFailure(described);
    return { stage: { name: "logs", after: Number.MAX_SAFE_INTEGER, isReady: false } };
  };
}

/**
 * Works on a ledger. One that cannot be read is noted, and does not stand in the way of others. Throws where the server does not answer at all,
 * where its log is another one than was saved, and for errors of the bucket.
 */
async function attempt(
  { tools, facts, stage }: RunAt<"compare"> | RunAt<"logs">,
  { listed: ledger }: WantedLedger,
  work: (save: PartSave) => Promise<Finish>,
): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  if (ledger === undefined) throw new Error("a ledger that is worked on was listed");
  const folder = bucketParts(tools.bucket, tools.known, ledger.uuid);
  const withSession =
    (finish: Finish): Finish =>
    () => {
      const { stage: next, facts: found } = finish();
      return { stage: next, facts: { session, ...found } };
    };
  try {
    return withSession(await work({ reads, ledger, folder, partMax: PART_MAX }));
  } catch (error) {
    if (error instanceof NotContinuedError) throw new RunFailure(error.message, { cause: error });
    if (!(error instanceof OperatorError) || error instanceof RunFailure) throw error;
    // A server that does not answer this either is not one with a sick ledger.
    const isThere = await isListed(reads, ledger);
    return withSession(() => {
      if (isThere) tools.ledgers.noteFailure(ledger.uuid, error.message);
      else tools.ledgers.notePurged(ledger.uuid);
      return { stage: stage.name === "logs" ? { ...stage, isReady: false } : stage };
    });
  }
}
