import { and, eq } from "drizzle-orm";
import { getConnection, isConnection } from "./connection-store.ts";
import { findUser, getUser } from "./store.ts";
import { paymentForwardedUsers, paymentUserConnections } from "./tables.ts";
import type { User } from "./user.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  ForwardedUser,
  LinkedUser,
  PaymentUser,
  UserOfProvider,
  UserPlugin,
} from "#modules/payments/connectors/contract.ts";
import { given } from "#modules/payments/core/given.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/** The plugin's functions for users. Throws `ConnectorError` if the connector has none. */
export async function openUsers(
  context: ServiceContext,
  connector: InstalledConnector,
): Promise<UserPlugin> {
  const { users } = await openPlugin(context, connector);
  if (users === undefined) {
    throw new ConnectorError("invalid", "the provider has no users");
  }
  return users;
}

export const toPaymentUser = ({ id, name, address, contactDetails }: User): PaymentUser => ({
  id,
  name,
  ...given({
    country: address?.country,
    locale: contactDetails?.locale,
    email: contactDetails?.email,
  }),
});

/** A user as a plugin gets it, with the data that the connector's provider has given for the user. Throws `NOT_FOUND`. */
export async function getUserOfProvider(
  context: ServiceContext,
  { userId, connector }: { readonly userId: string; readonly connector: InstalledConnector },
): Promise<UserOfProvider & { readonly userKey: number }> {
  const user = await getUser(context, userId);
  const forwarded = await findForwarded(context, { userKey: user.key, connector });
  if (forwarded === undefined) {
    throw new AppError(
      "NOT_FOUND",
      "the payment service user is not forwarded to the connector: not found",
    );
  }
  return { userKey: user.key, user: toPaymentUser(user), forwarded };
}

/** The data that a provider has given for a user; undefined for a user that was not forwarded. */
export async function findForwarded(
  { env }: Pick<ServiceContext, "env">,
  {
    userKey,
    connector,
  }: { readonly userKey: number; readonly connector: { readonly key: number } },
): Promise<ForwardedUser | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentForwardedUsers)
    .where(
      and(
        eq(paymentForwardedUsers.userKey, userKey),
        eq(paymentForwardedUsers.connectorKey, connector.key),
      ),
    );
  if (row === undefined) return undefined;
  return {
    metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
    ...given({
      providerUserId: row.providerUserId,
      accessToken: row.accessToken === null ? undefined : openToken(env, row.accessToken),
    }),
  };
}

/** A user with a connection; undefined if one of them does not exist any more. */
export async function findLinkedUser(
  context: ServiceContext,
  {
    userId,
    connectionId,
    connector,
  }: {
    readonly userId: string;
    readonly connectionId: string;
    readonly connector: InstalledConnector;
  },
): Promise<(LinkedUser & { readonly userKey: number }) | undefined> {
  const user = await findUser(context, userId);
  if (user === undefined) return undefined;
  const [forwarded, [connection]] = await Promise.all([
    findForwarded(context, { userKey: user.key, connector }),
    databaseOf(context.env)
      .select({
        accessToken: paymentUserConnections.accessToken,
        metadata: paymentUserConnections.metadata,
      })
      .from(paymentUserConnections)
      .where(isConnection({ userKey: user.key, connector, connectionId })),
  ]);
  if (forwarded === undefined || connection === undefined) return undefined;
  const { accessToken, metadata } = connection;
  return {
    userKey: user.key,
    user: toPaymentUser(user),
    forwarded,
    connectionId,
    metadata: parseJson(metadata) as ObjectMetadata, // only this module writes the column
    ...given({
      accessToken: accessToken === null ? undefined : openToken(context.env, accessToken),
    }),
  };
}

/** A user with a connection. Throws `NOT_FOUND`, with the object that does not exist. */
export async function getLinkedUser(
  context: ServiceContext,
  name: {
    readonly userId: string;
    readonly connectionId: string;
    readonly connector: InstalledConnector;
  },
): Promise<LinkedUser & { readonly userKey: number }> {
  const { userKey } = await getUserOfProvider(context, name);
  await getConnection(context, { ...name, userKey });
  const linked = await findLinkedUser(context, name);
  if (linked !== undefined) return linked;
  throw new AppError("NOT_FOUND", "cannot get connection: not found");
}

const TOKEN_PURPOSE = "payment user token";

/** Encrypts a token of a user or of a connection. */
export const sealToken = (env: Env, token: string | undefined): string | null =>
  token === undefined ? null : SecretBox.from(env).seal(token, TOKEN_PURPOSE);

const openToken = (env: Env, sealed: string): string =>
  SecretBox.from(env).open(sealed, TOKEN_PURPOSE);

/**
 * Turns a provider's failure into an error for the client: `VALIDATION` for a refusal, which the client has to correct, and
 * `OVERLOADED` for any other failure, which may pass.
 */
export async function withProviderErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    const options = {
      cause: error,
      ...given({
        retryAfterSeconds:
          error.retryAfterMs === undefined ? undefined : Math.ceil(error.retryAfterMs / 1000),
      }),
    };
    throw new AppError(
      error.kind === "invalid" ? "VALIDATION" : "OVERLOADED",
      `the call of the provider has failed: ${error.message}`,
      options,
    );
  }
}
