import { join } from "node:path";
import { z } from "zod";
import { hashOfParts, type LedgerPart, readParts } from "./ledger-parts.ts";
import { type Features, LedgerEngine } from "#ledger-engine";
import type { SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import { systemClock } from "#platform/clock.ts";
import { parseJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { problemOf } from "#scripts/florin/backup/file-hash.ts";
import { linesOf } from "#scripts/florin/backup/saved-lines.ts";

/** SQLite's name for a database in a temporary file, which is deleted when the database is closed or the process ends. */
const TEMPORARY = "";
/** Entries that are replayed in one transaction, and characters of their texts after which fewer are. */
const BATCH = 1000;
const BATCH_CHARACTERS = 8_000_000;

/** A ledger, and where its saved log ends. */
type LoggedLedger = Omit<SnapshotLedger, "publishedLogId" | "importedLogId">;

/**
 * Checks the parts of a ledger's log, and replays them in a ledger of its own, as the import of a log does: every hash, and everything that
 * entries show of volumes, is computed again. Returns what is wrong, a sentence each.
 */
export async function verifyLedger(folder: string, ledger: LoggedLedger): Promise<string[]> {
  if (hashOfParts(folder, ledger.parts) !== ledger.partsSha256) {
    return [`${ledger.name}: the list of its parts is another one than the manifest says.`];
  }
  const parts = readParts(folder, ledger.parts);
  const problems: string[] = [];
  for (const part of parts) {
    for (const file of [part.log, part.origins]) {
      const problem = await problemOf(join(folder, file.file), file);
      if (problem !== undefined) problems.push(`${ledger.name}: ${problem}`);
    }
  }
  // The entries of a file that was changed or lost cannot be replayed.
  if (problems.length > 0) return problems;
  const sql = new NodeSql(TEMPORARY);
  try {
    return await replay(sql, { folder, ledger, parts });
  } finally {
    sql.close();
  }
}

async function replay(
  sql: NodeSql,
  saved: {
    readonly folder: string;
    readonly ledger: LoggedLedger;
    readonly parts: readonly LedgerPart[];
  },
): Promise<string[]> {
  const { folder, ledger, parts } = saved;
  const { uuid, name, bucket } = ledger;
  const features = ledger.features as unknown as Features; // as the server has them
  LedgerEngine.create(sql, { uuid, name, bucket, features });
  const engine = new LedgerEngine(sql, systemClock);
  let before = 0;
  for (const part of parts) {
    const counted = await replayPart(engine, { folder, part, before });
    if (typeof counted === "string") return [`${name}: ${counted}`];
    before += counted;
    const { lastLogId, lastHash } = engine.reads.head();
    if (counted !== part.entries || lastLogId !== part.to || lastHash !== part.lastHash) {
      return [
        `${name}: ${part.log.file} ends with entry ${lastLogId} after ${counted} entries, and not with entry ${part.to} after ${part.entries}, or its hash differs.`,
      ];
    }
    const problem = await problemOfOrigins(folder, part);
    if (problem !== undefined) return [`${name}: ${problem}`];
  }
  const head = engine.reads.head();
  return head.lastLogId === ledger.lastLogId &&
    head.lastHash === ledger.lastHash &&
    before === ledger.entries
    ? []
    : [
        `${name}: the log ends with entry ${head.lastLogId}, and the manifest says ${ledger.lastLogId}, or its hash differs.`,
      ];
}

/** Replays the entries of a part. Returns their number, or why one is refused. */
async function replayPart(
  engine: LedgerEngine,
  {
    folder,
    part,
    before,
  }: { readonly folder: string; readonly part: LedgerPart; readonly before: number },
): Promise<number | string> {
  let count = 0;
  let texts: string[] = [];
  let characters = 0;
  const take = (): string | undefined => {
    for (let from = 0; from < texts.length;) {
      const outcome = engine.importLogs({ texts: texts.slice(from), before: before + count });
      from += outcome.taken;
      count += outcome.taken;
      if (outcome.failure !== undefined) return outcome.failure.message;
    }
    texts = [];
    characters = 0;
    return undefined;
  };
  for await (const line of linesOf(join(folder, part.log.file))) {
    texts.push(line);
    characters += line.length;
    const isFull = texts.length >= BATCH || characters >= BATCH_CHARACTERS;
    const problem = isFull ? take() : undefined;
    if (problem !== undefined) return problem;
  }
  return take() ?? count;
}

/** A fact that the log does not determine, in the order of its kinds. */
const Origin = z.union([
  z.strictObject({ from: z.int(), author: z.record(z.string(), z.string()).nullable() }),
  z.strictObject({ log: z.int(), depth: z.int() }),
  z.strictObject({ log: z.int(), notes: z.array(z.string()) }),
]);

async function problemOfOrigins(folder: string, part: LedgerPart): Promise<string | undefined> {
  const { file, facts } = part.origins;
  let number = 0;
  for await (const line of linesOf(join(folder, file))) {
    number++;
    const fact = Origin.safeParse(parseJson(line));
    if (!fact.success) return `${file}: line ${number} is no fact about an entry.`;
    const id = "from" in fact.data ? fact.data.from : fact.data.log;
    if (id < part.from || id > part.to)
      return `${file}: line ${number} is about entry ${id} of another part.`;
  }
  return number === facts ? undefined : `${file} has ${number} facts instead of ${facts}.`;
}
