import { and, eq } from "drizzle-orm";
import { paymentUserConnections } from "./tables.ts";
import type { ConnectionStatus } from "#modules/payments/core/enums.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/** Identifies a connection of a user. */
export interface ConnectionName {
  readonly userKey: number;
  readonly connector: { readonly key: number };
  /** The provider's id of the connection. */
  readonly connectionId: string;
}

/** The row of a connection. Throws `NOT_FOUND`. */
export async function getConnection(
  context: Pick<ServiceContext, "env">,
  name: ConnectionName,
): Promise<{ readonly key: number; readonly status: ConnectionStatus }> {
  const connection = await findConnection(context, name);
  if (connection === undefined) {
    throw new AppError("NOT_FOUND", "cannot get connection: not found");
  }
  return connection;
}

export async function findConnection(
  { env }: Pick<ServiceContext, "env">,
  name: ConnectionName,
): Promise<{ readonly key: number; readonly status: ConnectionStatus } | undefined> {
  const [row] = await databaseOf(env)
    .select({ key: paymentUserConnections.key, status: paymentUserConnections.status })
    .from(paymentUserConnections)
    .where(isConnection(name));
  return row;
}

export const isConnection = ({ userKey, connector, connectionId }: ConnectionName) =>
  and(
    eq(paymentUserConnections.connectorKey, connector.key),
    eq(paymentUserConnections.connectionId, connectionId),
    eq(paymentUserConnections.userKey, userKey),
  );
