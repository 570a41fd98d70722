import { createHash } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import {
  withProviderErrors,
  getLinkedUser,
  getUserOfProvider,
  openUsers,
} from "./provider-user.ts";
import { getUserKey } from "./store.ts";
import { paymentLinkAttempts, paymentUsers } from "./tables.ts";
import type { LinkRequest, UserLink } from "#modules/payments/connectors/contract.ts";
import {
  type ConnectorId,
  encodeConnectorId,
  encodeLinkState,
} from "#modules/payments/core/ids.ts";
import { isInstalled, requireInstalled } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { webhookPathOf } from "#modules/payments/webhooks/register.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

export interface NewLink {
  readonly userId: string;
  readonly connectorId: ConnectorId;
  /** The connection whose consent the link renews; absent for a new connection. */
  readonly connectionId?: string;
  /** The id of the attempt, if the client chooses it. The same request then gets the same answer again. */
  readonly attemptId?: string;
  readonly applicationName?: string;
  readonly clientRedirectUrl: string;
  /** The URL under which browsers reach this server. */
  readonly publicUrl: string;
}

export interface CreatedLink {
  readonly attemptId: string;
  readonly url: string;
}

/**
 * Begins an attempt to link a user to a bank. Throws `NOT_FOUND`, `VALIDATION` if the provider refuses it, and
 * `ALREADY_EXISTS` for the id of another attempt.
 */
export async function createLink(context: ServiceContext, link: NewLink): Promise<CreatedLink> {
  const connector = await requireInstalled(context, link.connectorId);
  const known = await findLink(context, connector, link);
  if (known !== undefined) return known;
  const attemptId = link.attemptId ?? newId();
  const randomized = newId();
  const state = encodeLinkState({ attemptID: attemptId, randomized });
  const made = await linkAtProvider(context, { connector, link, attempt: { attemptId, state } });
  const { env, clock } = context;
  const change = new AuditedChange(context, {
    action: "payments.payment-service-user.link",
    object: `payment-service-users/${link.userId}/link-attempts/${attemptId}`,
  });
  const sealed = SecretBox.from(env).seal(stringifyJson(made), purposeOf(attemptId));
  // The user may be deleted, and the connector uninstalled, during the call of the provider.
  const inserted = await change.store(
    databaseOf(env)
      .insert(paymentLinkAttempts)
      .select(
        sql`
          SELECT ${columnValues(paymentLinkAttempts, {
            key: null,
            id: attemptId,
            userKey: sql`u.key`,
            connectorKey: connector.key,
            status: sql`'pending'`,
            error: null,
            clientRedirectUrl: link.clientRedirectUrl,
            stateHash: hashOf(randomized),
            link: sealed,
            createdAt: clock(),
          })}
          FROM ${paymentUsers} AS u WHERE u.id = ${link.userId} AND ${isInstalled(connector)}`,
      )
      .onConflictDoNothing()
      .returning({ key: paymentLinkAttempts.key }),
  );
  if (inserted.length > 0) return { attemptId, url: made.url };
  await requireInstalled(context, link.connectorId);
  await getUserKey(context, link.userId);
  const first = await findLink(context, connector, link);
  if (first === undefined) throw new Error("an attempt was neither inserted nor found by its id");
  return first;
}

async function linkAtProvider(
  context: ServiceContext,
  {
    connector,
    link,
    attempt,
  }: {
    readonly connector: InstalledConnector;
    readonly link: NewLink;
    readonly attempt: Pick<LinkRequest, "attemptId" | "state">;
  },
): Promise<UserLink> {
  const { userId, connectionId, connectorId, applicationName, clientRedirectUrl, publicUrl } = link;
  const { user, forwarded } = await getUserOfProvider(context, { userId, connector });
  const request = {
    user,
    forwarded,
    clientRedirectUrl,
    ...attempt,
    redirectUrl: `${publicUrl}${redirectPathOf(connectorId)}`,
    webhookUrl: `${publicUrl}${webhookPathOf(connectorId)}`,
    ...(applicationName === undefined ? {} : { applicationName }),
  };
  if (connectionId === undefined) {
    return withProviderErrors(async () =>
      (await openUsers(context, connector)).createLink(request),
    );
  }
  const { userKey: _userKey, ...linked } = await getLinkedUser(context, {
    userId,
    connectionId,
    connector,
  });
  return withProviderErrors(async () =>
    (await openUsers(context, connector)).updateLink({ ...request, ...linked }),
  );
}

/** The attempt with the client's id; undefined for a new id. Throws `ALREADY_EXISTS` if the id belongs to another request. */
async function findLink(
  { env }: Pick<ServiceContext, "env">,
  connector: InstalledConnector,
  { attemptId, userId, clientRedirectUrl }: NewLink,
): Promise<CreatedLink | undefined> {
  if (attemptId === undefined) return undefined;
  const [row] = await databaseOf(env)
    .select({
      link: paymentLinkAttempts.link,
      isSame: sql<number>`${and(
        eq(paymentLinkAttempts.connectorKey, connector.key),
        eq(paymentUsers.id, userId),
        eq(paymentLinkAttempts.clientRedirectUrl, clientRedirectUrl),
      )}`,
    })
    .from(paymentLinkAttempts)
    .innerJoin(paymentUsers, eq(paymentUsers.key, paymentLinkAttempts.userKey))
    .where(eq(paymentLinkAttempts.id, attemptId));
  if (row === undefined) return undefined;
  if (row.isSame === 1) return { attemptId, url: openLink(env, attemptId, row.link).url };
  throw new AppError("ALREADY_EXISTS", "there is another link attempt with this idempotency key");
}

/** Decrypts the link that a plugin has created for an attempt. */
export const openLink = (env: Env, attemptId: string, sealed: string): UserLink =>
  parseJson(SecretBox.from(env).open(sealed, purposeOf(attemptId))) as UserLink; // only this module writes the column

const purposeOf = (attemptId: string): string => `payment link attempt ${attemptId}`;

/** The hash by which the random part of a state is stored. */
export const hashOf = (randomized: string): string =>
  createHash("sha256").update(randomized).digest("hex");

/** The path to which providers send the browsers of users. */
const redirectPathOf = (id: ConnectorId): string =>
  `/api/payments/v3/connectors/open-banking/${encodeConnectorId(id)}/redirect`;
