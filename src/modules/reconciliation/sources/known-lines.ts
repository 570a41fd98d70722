import { sql } from "drizzle-orm";
import { LedgerClient } from "#modules/ledger/index.ts";
import { lastAdjustmentKey } from "#modules/payments/index.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** Where lines of a matching have come from, as their evidence says. */
export interface LineOrigins {
  /** The names of ledgers. */
  readonly ledgers: readonly string[];
  readonly hasPayments: boolean;
  /** The ids of statements. */
  readonly statements: readonly string[];
}

/** What a deployment has of the origins of lines. Lines behind it are of another deployment. */
export interface KnownOrigins {
  /** The id of the last transaction of each ledger, 0 for none. Ledgers that are unknown or deleted are left out. */
  readonly lastTransactions: ReadonlyMap<string, number>;
  /** The key of the last adjustment of a payment. */
  readonly lastAdjustment: number;
  /** The statements that do not exist. */
  readonly unknownStatements: readonly string[];
}

/** Most statements that one query looks up. */
const STATEMENTS_MAX = 5000;

/** Looks up what the deployment has of the origins of lines. */
export async function knownOrigins(
  env: Env,
  { ledgers, hasPayments, statements }: LineOrigins,
): Promise<KnownOrigins> {
  const lastTransactions = new Map<string, number>();
  for (const ledger of ledgers) {
    const last = await lastTransactionOf(env, ledger);
    if (last !== undefined) lastTransactions.set(ledger, last);
  }
  const unknownStatements: string[] = [];
  for (let from = 0; from < statements.length; from += STATEMENTS_MAX) {
    const some = statements.slice(from, from + STATEMENTS_MAX);
    unknownStatements.push(...(await unknownAmong(env, some)));
  }
  const lastAdjustment = hasPayments ? await lastAdjustmentKey(env) : 0;
  return { lastTransactions, lastAdjustment, unknownStatements };
}

async function lastTransactionOf(env: Env, ledger: string): Promise<number | undefined> {
  try {
    const client = new LedgerClient(systemContext(env, "restoration"), ledger);
    const { data } = await client.transactions({ order: "desc" }).page({ pageSize: 1 });
    return data[0]?.id ?? 0;
  } catch (error) {
    if (error instanceof AppError && error.kind === "LEDGER_NOT_FOUND") return undefined;
    throw error;
  }
}

async function unknownAmong(env: Env, ids: readonly string[]): Promise<string[]> {
  const rows = await databaseOf(env).all<{ id: string }>(sql`
    SELECT value AS id FROM json_each(${stringifyJson(ids)})
    WHERE value NOT IN (SELECT id FROM reconciliation_statements)`);
  return rows.map(({ id }) => id);
}
