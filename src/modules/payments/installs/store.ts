import { and, eq, isNull } from "drizzle-orm";
import { paymentConnectors } from "./tables.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** An installation, without its configuration. */
export interface InstalledConnector {
  /** The key by which all rows of the connector name it. */
  readonly key: number;
  readonly id: ConnectorId;
  readonly name: string;
  readonly pollingPeriodMs: number;
  readonly createdAt: Timestamp;
  readonly updatedAt?: Timestamp;
  /** The time at which its removal began. */
  readonly deletedAt?: Timestamp;
  /** The UUID of the installation that replaces this one after a reset. */
  readonly successor?: string;
}

export const CONNECTOR_COLUMNS = {
  key: paymentConnectors.key,
  provider: paymentConnectors.provider,
  reference: paymentConnectors.reference,
  name: paymentConnectors.name,
  pollingPeriodMs: paymentConnectors.pollingPeriodMs,
  createdAt: paymentConnectors.createdAt,
  updatedAt: paymentConnectors.updatedAt,
  deletedAt: paymentConnectors.deletedAt,
  successor: paymentConnectors.successor,
};
export type ConnectorRow = Pick<
  typeof paymentConnectors.$inferSelect,
  keyof typeof CONNECTOR_COLUMNS
>;

/** The installation with an id, also while it is being uninstalled. */
export async function findConnector(
  { env }: Pick<ServiceContext, "env">,
  { provider, reference }: ConnectorId,
): Promise<InstalledConnector | undefined> {
  const [row] = await databaseOf(env)
    .select(CONNECTOR_COLUMNS)
    .from(paymentConnectors)
    .where(
      and(eq(paymentConnectors.reference, reference), eq(paymentConnectors.provider, provider)),
    );
  return row === undefined ? undefined : toConnector(row);
}

/** The installation with an id, also while it is being uninstalled. Throws `NOT_FOUND`. */
export async function getConnector(
  context: Pick<ServiceContext, "env">,
  id: ConnectorId,
): Promise<InstalledConnector> {
  const connector = await findConnector(context, id);
  if (connector === undefined) throw unknownConnector();
  return connector;
}

export const unknownConnector = (): AppError =>
  new AppError("NOT_FOUND", "cannot get connector: not found");

/** The installation to which a new object is to belong. Throws `VALIDATION` if there is none or if it is being uninstalled. */
export async function requireConnector(
  { env }: Pick<ServiceContext, "env">,
  { provider, reference }: ConnectorId,
): Promise<InstalledConnector> {
  const [row] = await databaseOf(env)
    .select(CONNECTOR_COLUMNS)
    .from(paymentConnectors)
    .where(
      and(
        eq(paymentConnectors.reference, reference),
        eq(paymentConnectors.provider, provider),
        isNull(paymentConnectors.deletedAt),
      ),
    );
  if (row === undefined) throw new AppError("VALIDATION", "connector_id: value not found");
  return toConnector(row);
}

export const toConnector = (row: ConnectorRow): InstalledConnector => ({
  key: row.key,
  id: { provider: row.provider, reference: row.reference },
  name: row.name,
  pollingPeriodMs: row.pollingPeriodMs,
  createdAt: row.createdAt,
  ...(row.updatedAt === null ? {} : { updatedAt: row.updatedAt }),
  ...(row.deletedAt === null ? {} : { deletedAt: row.deletedAt }),
  ...(row.successor === null ? {} : { successor: row.successor }),
});
