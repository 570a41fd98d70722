import { and, eq, sql } from "drizzle-orm";
import type { StatementRefusal } from "./refusal.ts";
import { accountKeyOf, type Head } from "./statement.ts";
import { reconciliationStatementHeads, reconciliationStatements } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { jsonRowParts } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";

/** The heads of a file that was read. */
export interface NewHeads {
  readonly statementId: string;
  readonly sourceId: string;
  readonly heads: readonly Head[];
  readonly mayOverlap: boolean;
}

/**
 * Why heads do not fit those that the source has: a statement of this account and name is there, or one of the same account and asset
 * whose period has a day in common. Two statements that share one day, on which one closes with what the other opens with, follow each
 * other. Undefined for heads that fit.
 */
export async function headsProblem(
  db: Database,
  { statementId, sourceId, heads, mayOverlap }: NewHeads,
): Promise<StatementRefusal | undefined> {
  const overlapWithin = mayOverlap ? undefined : overlapAmong(heads);
  if (overlapWithin !== undefined) return overlapWithin;
  for (const { source, items } of jsonRowParts(heads.map(toRow))) {
    const { name, accountKey, asset, from, to, opening, closing } = items;
    const isNamed = sql`h.account_key = ${accountKey} AND h.name = ${name}`;
    const follows = sql`(h.to_day = ${from} AND h.closing = ${opening})`;
    const precedes = sql`(h.from_day = ${to} AND h.opening = ${closing})`;
    const overlaps = sql`h.account_key = ${accountKey} AND h.asset IS ${asset}
      AND h.to_day >= ${from} AND h.from_day <= ${to} AND NOT coalesce(${follows}, 0) AND NOT coalesce(${precedes}, 0)`;
    const conflicts = (condition: typeof isNamed) => sql`
      SELECT s.id, r.item AS given, h.name, h.from_day AS "from", h.to_day AS "to"
      FROM ${source} CROSS JOIN ${reconciliationStatementHeads} AS h ON h.source_id = ${sourceId} AND ${condition}
      JOIN ${reconciliationStatements} AS s ON s.key = h.statement_key
      WHERE s.id <> ${statementId} LIMIT 1`;
    const [named] = await db.all<Conflict>(conflicts(isNamed));
    if (named !== undefined) {
      return {
        kind: "EXISTS",
        message: `The source has the statement "${named.name}" of this account already: ${named.id}.`,
      };
    }
    if (mayOverlap) continue;
    const [overlap] = await db.all<Conflict>(conflicts(overlaps));
    if (overlap !== undefined) return overlapping(overlap);
  }
  return undefined;
}

interface Conflict {
  readonly id: string;
  readonly name: string | null;
  readonly from: string;
  readonly to: string;
}

const overlapping = ({ id, from, to }: Pick<Conflict, "id" | "from" | "to">): StatementRefusal => ({
  kind: "OVERLAP",
  message: `The period overlaps that of the statement ${id}, which goes from ${from} to ${to}; upload the file with overlap=allow if both are right.`,
});

/** Two statements of one file that overlap. */
function overlapAmong(heads: readonly Head[]): StatementRefusal | undefined {
  const byAccount = Map.groupBy(heads, ({ account, asset }) => `${accountKeyOf(account)} ${asset}`);
  for (const group of byAccount.values()) {
    for (const [index, head] of group.entries()) {
      const other = group.slice(0, index).find((earlier) => doOverlap(earlier, head));
      if (other === undefined) continue;
      const place = heads.indexOf(other) + 1;
      const { from = "", to = "" } = other;
      return overlapping({ id: `number ${place} of the same file`, from, to });
    }
  }
  return undefined;
}

function doOverlap(one: Head, other: Head): boolean {
  if (one.from === undefined || other.from === undefined) return false;
  if (one.to === undefined || other.to === undefined) return false;
  if (one.to < other.from || other.to < one.from) return false;
  const follows = (first: Head, second: Head) =>
    first.to === second.from && first.closing !== undefined && first.closing === second.opening;
  return !follows(one, other) && !follows(other, one);
}

const toRow = (head: Head, ordinal: number) => ({
  ordinal,
  name: head.name ?? null,
  account: head.account ?? null,
  accountKey: accountKeyOf(head.account),
  asset: head.asset ?? null,
  from: head.from ?? null,
  to: head.to ?? null,
  opening: head.opening?.toString() ?? null,
  closing: head.closing?.toString() ?? null,
  lines: head.lines,
  pending: head.pending,
  totals: stringifyJson(head.totals),
  balanced: head.balanced ? 1 : 0,
});

/** The statements that store the heads of a file that is ready. Repeated, they change nothing. */
export function headInsertions(
  db: Database,
  { statementId, sourceId, heads }: Omit<NewHeads, "mayOverlap">,
) {
  return [...jsonRowParts(heads.map(toRow))].map(({ source, items }) =>
    db
      .insert(reconciliationStatementHeads)
      .select(
        sql`SELECT NULL, s.key, ${sourceId}, ${items.ordinal}, ${items.name}, ${items.account}, ${items.accountKey},
            ${items.asset}, ${items.from}, ${items.to}, ${items.opening}, ${items.closing}, ${items.lines},
            ${items.pending}, ${items.totals}, ${items.balanced}
          FROM ${source} JOIN ${reconciliationStatements} AS s ON s.id = ${statementId} AND s.state = 'ready'`,
      )
      .onConflictDoNothing(),
  );
}

/** The statement that deletes the heads of a file. */
export const headDeletion = (db: Database, { sourceId, id }: { sourceId: string; id: string }) =>
  db
    .delete(reconciliationStatementHeads)
    .where(
      and(
        eq(reconciliationStatementHeads.sourceId, sourceId),
        sql`statement_key = (SELECT key FROM ${reconciliationStatements} WHERE id = ${id})`,
      ),
    );
