import { type SQL, sql } from "drizzle-orm";
import { findConnector, type InstalledConnector } from "./store.ts";
import { paymentConnectors } from "./tables.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** The installation with an id. Throws `NOT_FOUND`, also for an installation that is being uninstalled. */
export async function requireInstalled(
  context: Pick<ServiceContext, "env">,
  id: ConnectorId,
): Promise<InstalledConnector> {
  const connector = await findConnector(context, id);
  if (connector === undefined || connector.deletedAt !== undefined) throw connectorNotFound();
  return connector;
}

export const connectorNotFound = (): AppError => new AppError("NOT_FOUND", "connector not found");

/** The condition that a connector is installed when the statement runs. */
export const isInstalled = ({ key }: InstalledConnector): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentConnectors} AS c WHERE c.key = ${key} AND c.deleted_at IS NULL)`;

/** The key of a connector in SQL, or null once it is uninstalled: a column that must not be null then rejects the row. */
export const installedKey = ({ key }: Pick<InstalledConnector, "key">): SQL => sql`(
  SELECT ${paymentConnectors.key} FROM ${paymentConnectors}
  WHERE ${paymentConnectors.key} = ${key} AND ${paymentConnectors.deletedAt} IS NULL)`;
