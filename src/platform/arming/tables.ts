import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Who has disarmed or armed something, as the audit has it. */
const actorColumns = () => ({
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  clientId: text("client_id").notNull(),
});

/** Why a deployment is disarmed. A restored one has an original that may still run, so that it is armed only when that one is stopped. */
export type DisarmReason = "operator" | "restored";

/** One row while the deployment is disarmed, and no row while it is armed. */
export const disarmament = sqliteTable("disarmament", {
  /** Always 1. */
  id: integer("id").primaryKey(),
  since: text("since").$type<Timestamp>().notNull(),
  reason: text("reason").$type<DisarmReason>().notNull(),
  /** What an operator has written last; empty for nothing. */
  note: text("note").notNull(),
  /** Who has disarmed it last. */
  ...actorColumns(),
  /** A UUID that each disarming changes, so that nobody arms what somebody else has disarmed meanwhile. */
  revision: text("revision").notNull(),
});

/** The connectors that are armed while the deployment is disarmed. The rows go with those of `disarmament`. */
export const armedConnectors = sqliteTable("armed_connectors", {
  /** The UUID of the installation. */
  reference: text("reference").primaryKey(),
  /** The id of the connector in the API. */
  connectorId: text("connector_id").notNull(),
  armedAt: text("armed_at").$type<Timestamp>().notNull(),
  ...actorColumns(),
});
