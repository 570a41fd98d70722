import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Policies. A policy that is deleted is shown no more; the sweep of the retention deletes its reconciliations and then its row. */
export const reconciliationPolicies = sqliteTable(
  "reconciliation_policies",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    ledger: text("ledger").notNull(),
    /** The filter of the ledger's accounts, as canonical JSON. */
    query: text("query").notNull(),
    poolId: text("pool_id").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
  },
  (table) => [index("reconciliation_policies_listed").on(table.deletedAt, table.createdAt)],
);

/** Runs of policies. They never change. */
export const reconciliations = sqliteTable(
  "reconciliations",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    policyKey: integer("policy_key").notNull(),
    policyId: text("policy_id").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    atLedger: text("at_ledger").$type<Timestamp>().notNull(),
    atPayments: text("at_payments").$type<Timestamp>().notNull(),
    status: text("status", { enum: ["OK", "NOT_OK"] }).notNull(),
    /** AssetBalances as JSON with exact integers, by asset. */
    ledgerBalances: text("ledger_balances").notNull(),
    paymentsBalances: text("payments_balances").notNull(),
    driftBalances: text("drift_balances").notNull(),
    /** A sentence about the assets that drift; empty for none. */
    error: text("error").notNull(),
  },
  (table) => [
    index("reconciliations_listed").on(table.createdAt),
    index("reconciliations_of_policy").on(table.policyKey, table.createdAt),
  ],
);
