import { and, asc, eq, lt, sql } from "drizzle-orm";
import {
  type ShownHead,
  type ShownStatement,
  type StatementFile,
  toHead,
  toStatementFile,
} from "./statement.ts";
import { reconciliationStatementHeads, reconciliationStatements } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

/** Most heads of a file that a list shows. */
const HEADS_LISTED = 10;

const STATEMENTS: ListTable<StatementFile> = {
  keys: {
    id: uuidKey(reconciliationStatements.id),
    state: { type: "set", column: reconciliationStatements.state },
    fileName: { type: "text", column: reconciliationStatements.fileName, nullable: true },
    sha256: { type: "text", column: reconciliationStatements.sha256 },
    uploadedAt: { type: "date", column: reconciliationStatements.uploadedAt },
  },
  sort: {
    uploaded_at: {
      type: "date",
      column: reconciliationStatements.uploadedAt,
      tie: reconciliationStatements.key,
      keyOf: ({ uploadedAt, key }) => ({ value: toMicros(uploadedAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the statements of a source, the newest first, with their first heads. Throws `VALIDATION` for a bad filter. */
export async function listStatements(
  { env }: Pick<ServiceContext, "env">,
  sourceId: string,
  query: PageQuery,
): Promise<Page<ShownStatement>> {
  const db = databaseOf(env);
  const page = await listPage(query, {
    ...STATEMENTS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(reconciliationStatements)
        .where(and(eq(reconciliationStatements.sourceId, sourceId), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toStatementFile);
    },
  });
  const heads = await headsOf(db, page.data, HEADS_LISTED);
  return {
    ...page,
    data: page.data.map((statement) => ({ statement, heads: heads.get(statement.key) ?? [] })),
  };
}

/** A statement of a source with all its heads. Throws `NOT_FOUND`. */
export async function getStatement(
  { env }: Pick<ServiceContext, "env">,
  { sourceId, id }: { readonly sourceId: string; readonly id: string },
): Promise<ShownStatement> {
  const db = databaseOf(env);
  const [row] = await db
    .select()
    .from(reconciliationStatements)
    .where(
      and(eq(reconciliationStatements.id, id), eq(reconciliationStatements.sourceId, sourceId)),
    );
  if (row === undefined) throw noStatement(id);
  const statement = toStatementFile(row);
  const heads = await headsOf(db, [statement], Number.MAX_SAFE_INTEGER);
  return { statement, heads: heads.get(statement.key) ?? [] };
}

export const noStatement = (id: string): AppError =>
  new AppError("NOT_FOUND", `there is no statement ${id}`);

/** The first heads of files, each beside the statement before it, by the keys of the files. */
async function headsOf(
  db: Database,
  files: readonly StatementFile[],
  most: number,
): Promise<ReadonlyMap<number, readonly ShownHead[]>> {
  const keys = stringifyJson(files.map(({ key }) => key));
  const own = reconciliationStatementHeads;
  const rows = await db
    .select({ head: own, before: BEFORE })
    .from(own)
    .where(
      and(
        sql`${own.statementKey} IN (SELECT value FROM json_each(${keys}))`,
        lt(own.ordinal, most),
      ),
    )
    .orderBy(asc(own.statementKey), asc(own.ordinal));
  const before = await statementsOf(db, rows);
  const shown = rows.map(({ head, before: key }) => {
    const closing = key === null ? undefined : before.get(key);
    const isGap =
      closing !== undefined && head.opening !== null && closing.closing !== head.opening;
    return {
      key: head.statementKey,
      head: {
        ...toHead(head),
        gap: isGap ? { statementID: closing.id, closing: BigInt(closing.closing) } : undefined,
      },
    };
  });
  return new Map(
    [...Map.groupBy(shown, ({ key }) => key)].map(([key, group]) => [
      key,
      group.map(({ head }) => head),
    ]),
  );
}

/**
 * The key of the head of the same account and asset that ends last before a head begins; null for none. Statements of one day follow each
 * other in the order in which they came. The table is written out, because Drizzle leaves its name out of columns.
 */
const BEFORE = sql<number | null>`(
  SELECT b.key FROM reconciliation_statement_heads AS b
  WHERE b.source_id = reconciliation_statement_heads.source_id
    AND b.account_key = reconciliation_statement_heads.account_key
    AND b.asset = reconciliation_statement_heads.asset
    AND b.to_day <= reconciliation_statement_heads.from_day
    AND (b.from_day < reconciliation_statement_heads.from_day OR b.key < reconciliation_statement_heads.key)
  ORDER BY b.to_day DESC, b.key DESC LIMIT 1)`;

/** The statements and closing balances of heads by the heads' keys; heads without a closing balance are left out. */
async function statementsOf(
  db: Database,
  rows: readonly { readonly before: number | null }[],
): Promise<ReadonlyMap<number, { readonly id: string; readonly closing: string }>> {
  const keys = rows.flatMap(({ before }) => (before === null ? [] : [before]));
  if (keys.length === 0) return new Map();
  const found = await db.all<{ key: number; id: string; closing: string }>(sql`
    SELECT h.key, s.id, h.closing FROM json_each(${stringifyJson([...new Set(keys)])}) AS wanted
    JOIN ${reconciliationStatementHeads} AS h ON h.key = wanted.value
    JOIN ${reconciliationStatements} AS s ON s.key = h.statement_key
    WHERE h.closing IS NOT NULL`);
  return new Map(found.map(({ key, id, closing }) => [key, { id, closing }]));
}
