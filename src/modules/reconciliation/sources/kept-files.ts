import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { fileBytes } from "#modules/reconciliation/statements/content.ts";
import { noStatement } from "#modules/reconciliation/statements/list.ts";
import { reconciliationStatements } from "#modules/reconciliation/statements/tables.ts";
import type { KeptFiles } from "#platform/backup/kept-files.ts";
import { databaseOf } from "#platform/db/database.ts";

/** Files that are listed at once. */
const PAGE = 500;

const { key, id, sourceId, bytes, sha256, state } = reconciliationStatements;
/** A file that was refused is not kept. */
const isKept = inArray(state, ["reading", "ready"]);

/** The files of statements, for backups: those that the database knows, in the order in which they were uploaded. */
export const KEPT_STATEMENTS: KeptFiles = {
  after: async (env, after) => {
    const rows = await databaseOf(env)
      .select({ key, name: sourceId, file: id, bytes, sha256 })
      .from(reconciliationStatements)
      .where(and(gt(key, after), isKept))
      .orderBy(asc(key))
      .limit(PAGE);
    const files = rows.map(({ key: _key, ...file }) => file);
    const last = rows.length < PAGE ? undefined : rows.at(-1)?.key;
    return last === undefined ? { files } : { files, next: last };
  },
  read: async function* (env, { name, file }) {
    const isOfSource = and(eq(id, file), eq(sourceId, name));
    const [known] = await databaseOf(env)
      .select({ id })
      .from(reconciliationStatements)
      .where(and(isOfSource, isKept));
    // A call of a source that nobody has made would make its object.
    if (known === undefined) throw noStatement(file);
    yield* fileBytes({ env }, { sourceId: name, id: file });
  },
};
