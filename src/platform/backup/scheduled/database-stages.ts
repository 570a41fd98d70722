import { gunzipSync } from "node:zlib";
import { onePiece } from "./bucket.ts";
import { RunFailure } from "./run-failure.ts";
import type { Finish, RunAt, RunFacts, RunStage, WrittenTable } from "./run-state.ts";
import { describeText } from "./staged-file.ts";
import { RefusedCall } from "#platform/backup/saving/calls.ts";
import { CATALOGUE, catalogueReader, KEY_TABLE } from "#platform/backup/saving/catalogue-rows.ts";
import {
  beginCopy,
  type CopiedTables,
  copyNext,
  DATABASE_COPIES,
} from "#platform/backup/saving/copy-tables.ts";
import { DATABASE, fileOf, SNAPSHOTS } from "#platform/backup/saving/file-names.ts";
import { type DatabaseManifest, MANIFEST } from "#platform/backup/saving/manifest.ts";
import { keyIdsIn } from "#platform/secrets/secrets.ts";

const CONFLICT = 409;
/** Copies that are begun in a run, because earlier ones were left alone for ten minutes or the tables have changed. */
const COPIES = 10;

/** The folder of a run's snapshot in the bucket. */
export const folderOf = ({ snapshot }: Pick<RunFacts, "snapshot">): string =>
  `${SNAPSHOTS}/${snapshot}`;

/** Copies the database, a call at a time. A copy that was ended meanwhile is begun anew. */
export async function copy({ tools, stage }: RunAt<"copy">): Promise<Finish> {
  const { reads, rows } = tools;
  const call = { reads, path: DATABASE_COPIES, note: () => undefined };
  if (stage.place === undefined) {
    const place = await beginCopy(call);
    return () => {
      rows.clear();
      return { stage: { ...stage, place } };
    };
  }
  try {
    const progress = await copyNext(rows, call, stage.place);
    if (progress.phase !== "over") return () => ({ stage: { ...stage, place: progress } });
    const { tables, counters, endedAt } = progress;
    return () => ({ stage: { name: "server", copied: { tables, counters, endedAt } } });
  } catch (error) {
    if (!(error instanceof RefusedCall) || error.status !== CONFLICT) throw error;
    if (stage.tries >= COPIES)
      throw new RunFailure(error.message, { cause: error, isPassing: true });
    return () => ({ stage: { name: "copy", tries: stage.tries + 1 } });
  }
}

/** Compares the keys with those of the last snapshot: a bucket has the backups of one deployment. */
export async function server({ tools, facts, stage }: RunAt<"server">): Promise<Finish> {
  const { last } = facts;
  const lost = last === undefined ? undefined : await firstLost(tools, last);
  if (lost !== undefined) {
    throw new RunFailure(
      `The snapshot ${last} was made of another deployment, or of this one before it was made anew: the table ${KEY_TABLE} had rows that it lacks now. Bind another bucket.`,
    );
  }
  return () => ({ stage: { name: "catalogue", copied: stage.copied } });
}

async function firstLost(
  { bucket, rows }: Pick<RunAt<"server">["tools"], "bucket" | "rows">,
  last: string,
): Promise<string | undefined> {
  const found = await bucket.get(`${SNAPSHOTS}/${last}/${DATABASE}/${fileOf(KEY_TABLE)}`);
  if (found === undefined) return undefined;
  const now = new Set(rows.linesOf(KEY_TABLE));
  const lines = gunzipSync(found.bytes).toString("utf8").split("\n");
  return lines.find((line) => line !== "" && !now.has(line));
}

/** Notes the ledgers of the catalogue that are to be saved. */
export async function catalogue({ tools, stage }: RunAt<"catalogue">): Promise<Finish> {
  const { copied, after } = stage;
  const table = copied.tables.find(({ name }) => name === CATALOGUE);
  if (table === undefined) throw new RunFailure(`The database has no table '${CATALOGUE}'.`);
  const { lines, last } = tools.rows.page(CATALOGUE, after);
  const wanted = lines.map(catalogueReader(table)).filter(({ isPurging }) => !isPurging);
  return () => {
    tools.ledgers.want(wanted);
    return last === undefined
      ? { stage: firstTable(copied) }
      : { stage: { name: "catalogue", copied, after: last } };
  };
}

const firstTable = (copied: CopiedTables): RunStage => ({
  name: "tables",
  copied,
  written: { index: 0, rows: 0 },
});

/** Writes the next rows of a table, or puts its file when all are written; behind the last table, the description of the database. */
export async function tables(run: RunAt<"tables">): Promise<Finish> {
  const { tools, facts, stage } = run;
  const { copied, written } = stage;
  const table = copied.tables[written.index];
  if (table === undefined) return describeDatabase(run);
  const { lines, last } = tools.rows.page(table.name, written.after);
  if (last !== undefined) {
    const next: WrittenTable = {
      index: written.index,
      rows: written.rows + lines.length,
      after: last,
    };
    return () => {
      tools.staged.append(toText(lines));
      return {
        stage: { ...stage, written: next },
        facts: { keyIds: withKeyIds(facts.keyIds, lines) },
      };
    };
  }
  const folder = `${folderOf(facts)}/${DATABASE}`;
  const file = await tools.staged.close(tools.bucket, folder, fileOf(table.name));
  return () => {
    tools.staged.clear();
    return {
      stage: { ...stage, written: { index: written.index + 1, rows: 0 } },
      facts: { tables: [...facts.tables, { ...table, rows: written.rows, ...file }] },
    };
  };
}

async function describeDatabase({ tools, facts, stage }: RunAt<"tables">): Promise<Finish> {
  const { endedAt, counters } = stage.copied;
  const manifest: DatabaseManifest = {
    format: 1,
    endedAt,
    tables: [...facts.tables],
    counters: { ...counters },
    keyIds: [...facts.keyIds],
  };
  const described = describeText(`${DATABASE}/${MANIFEST}`, manifest);
  await tools.bucket.put(`${folderOf(facts)}/${described.file}`, onePiece(described.text));
  const { file, bytes, sha256 } = described;
  const ledgers = new Date(tools.nowMs()).toISOString();
  return () => {
    tools.rows.clear();
    return {
      stage: { name: "ends", after: 0 },
      facts: {
        database: { file, bytes, sha256 },
        moments: { ...facts.moments, database: endedAt, ledgers },
      },
    };
  };
}

/** Lines of a file. */
export const toText = (lines: readonly string[]): string =>
  lines.map((line) => `${line}\n`).join("");

/** Ids of keys, with those that values in lines name. */
export const withKeyIds = (known: readonly string[], lines: readonly string[]): string[] =>
  [...new Set([...known, ...lines.flatMap(keyIdsIn)])].toSorted();
