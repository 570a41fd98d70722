import { and, eq, sql } from "drizzle-orm";
import { connectionFetches } from "./connection-fetches.ts";
import { findConnection } from "./connection-store.ts";
import { linkStatusEvent, reconnectedEvent } from "./event-types.ts";
import { openLink } from "./links.ts";
import { getUserOfProvider, openUsers, sealToken } from "./provider-user.ts";
import { paymentLinkAttempts, paymentUserConnections, paymentUsers } from "./tables.ts";
import type { LinkOutcome, UserConnection } from "#modules/payments/connectors/contract.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import type { JobOf, RedirectCallback } from "#modules/payments/jobs/job.ts";
import { isFinalError } from "#modules/payments/jobs/run-task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { stringifyJson } from "#platform/json.ts";

interface Attempt {
  readonly id: string;
  readonly userKey: number;
  readonly userId: string;
  readonly connector: InstalledConnector;
  /** The encrypted link; see `links.ts`. */
  readonly link: string;
}

/**
 * Completes an attempt to link a user, or ends it with the reason of its failure. If the provider cannot be reached, the
 * job is repeated.
 */
export async function runLinkCompletion(
  context: ServiceContext,
  { attemptId, callback, connector: connectorId }: JobOf<"complete-link">,
): Promise<void> {
  const connector = await findConnector(context, connectorId);
  const [row] = await databaseOf(context.env)
    .select({
      userKey: paymentLinkAttempts.userKey,
      link: paymentLinkAttempts.link,
      userId: paymentUsers.id,
    })
    .from(paymentLinkAttempts)
    .innerJoin(paymentUsers, eq(paymentUsers.key, paymentLinkAttempts.userKey))
    .where(and(eq(paymentLinkAttempts.id, attemptId), eq(paymentLinkAttempts.status, "pending")));
  if (connector === undefined || connector.deletedAt !== undefined || row === undefined) return;
  const attempt = { id: attemptId, ...row, connector };
  await storeOutcome(context, attempt, await outcomeOf(context, attempt, callback));
}

async function outcomeOf(
  context: ServiceContext,
  { id, userId, connector, link }: Attempt,
  callback: RedirectCallback,
): Promise<LinkOutcome> {
  try {
    const { user, forwarded } = await getUserOfProvider(context, { userId, connector });
    const users = await openUsers(context, connector);
    const { temporaryToken, expiresAt } = openLink(context.env, id, link);
    if (expiresAt !== undefined && expiresAt <= context.clock()) {
      return { error: "the link has expired" };
    }
    return await users.completeLink({ user, forwarded, ...callback, ...given({ temporaryToken }) });
  } catch (error) {
    if (!isFinalError(error)) throw error;
    return { error: error.message };
  }
}

/** Stores the connections and the end of the attempt. If two jobs do it at the same time, the first one counts. */
async function storeOutcome(
  context: ServiceContext,
  attempt: Attempt,
  outcome: LinkOutcome,
): Promise<void> {
  const { env, clock } = context;
  const { id, userKey, userId, connector } = attempt;
  const db = databaseOf(env);
  const now = clock();
  const error = "error" in outcome ? outcome.error : undefined;
  const connections = "error" in outcome ? [] : outcome.connections;
  const status = error === undefined ? ("completed" as const) : ("exited" as const);
  const about = { userId, connector: connector.id };
  const reconnected = await Promise.all(
    connections.map(({ connectionId }) =>
      findConnection(context, { userKey, connector, connectionId }),
    ),
  );
  const hasThisEnd = sql`EXISTS (
    SELECT 1 FROM ${paymentLinkAttempts} AS a WHERE a.id = ${id} AND a.status = ${status})`;
  const fetches = connections.flatMap(({ connectionId }) =>
    connectionFetches(db, { userKey, userId, connector, connectionId, now }),
  );
  const change = {
    change: [
      ...connections.map((connection) => upsertConnection(context, { attempt, connection })),
      ...fetches,
      db
        .update(paymentLinkAttempts)
        .set({ status, error: error ?? null })
        .where(and(eq(paymentLinkAttempts.id, id), eq(paymentLinkAttempts.status, "pending"))),
    ],
    events: [
      { event: linkStatusEvent(about, { id, status, ...given({ error }) }, now) },
      ...connections.flatMap(({ connectionId }, place) =>
        reconnected[place]?.status === "ERROR"
          ? [{ event: reconnectedEvent({ ...about, connectionId }, now) }]
          : [],
      ),
    ],
    condition: hasThisEnd,
  };
  const reconciler = reconcilerOf(env);
  await reconciler.change(() => Outbox.from(context).publish(change));
  if (fetches.length === 0) return;
  await reconciler.settle({ ...requestLimits(), scope: withReference(connector.id.reference) });
}

/** The statement that stores a connection of an attempt that has not ended. A known connection becomes active again. */
function upsertConnection(
  { env, clock }: ServiceContext,
  {
    attempt: { id, userKey, connector },
    connection,
  }: { readonly attempt: Attempt; readonly connection: UserConnection },
) {
  const now = clock();
  const token = sealToken(env, connection.accessToken);
  return databaseOf(env)
    .insert(paymentUserConnections)
    .select(
      sql`
        SELECT ${columnValues(paymentUserConnections, {
          key: null,
          userKey,
          connectorKey: connector.key,
          connectionId: connection.connectionId,
          status: sql`'ACTIVE'`,
          error: null,
          accessToken: token,
          metadata: stringifyJson(connection.metadata),
          metadataBits: metadataBloom(connection.metadata),
          createdAt: connection.createdAt,
          updatedAt: now,
          dataUpdatedAt: null,
        })}
        WHERE EXISTS (
          SELECT 1 FROM ${paymentLinkAttempts} AS a WHERE a.id = ${id} AND a.status = 'pending')`,
    )
    .onConflictDoUpdate({
      target: [
        paymentUserConnections.connectorKey,
        paymentUserConnections.connectionId,
        paymentUserConnections.userKey,
      ],
      set: {
        status: "ACTIVE",
        error: null,
        accessToken: token,
        metadata: stringifyJson(connection.metadata),
        metadataBits: metadataBloom(connection.metadata),
        updatedAt: now,
      },
    });
}
