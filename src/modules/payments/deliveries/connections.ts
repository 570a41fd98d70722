import { sql } from "drizzle-orm";
import type {
  ConnectionNews,
  ConnectionOwner,
  WebhookReport,
} from "#modules/payments/connectors/webhook-contract.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { connectionFetches } from "#modules/payments/users/connection-fetches.ts";
import { findConnection } from "#modules/payments/users/connection-store.ts";
import {
  disconnectedEvent,
  pendingDisconnectEvent,
  reconnectedEvent,
  userDisconnectedEvent,
} from "#modules/payments/users/event-types.ts";
import {
  paymentForwardedUsers,
  paymentUserConnections,
  paymentUsers,
} from "#modules/payments/users/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** A report whose items have the user and connection that own them. Items of an unknown user are left out. */
export async function withOwner(
  context: ServiceContext,
  connector: InstalledConnector,
  report: WebhookReport,
): Promise<WebhookReport> {
  const { owner, accounts = [], payments = [], balances = [] } = report;
  if (owner === undefined) return report;
  const { providerUserId, connectionId } = owner;
  const user = await findUser(context, connector, { providerUserId });
  if (user === undefined) {
    return { ...report, accounts: [], payments: [], balances: [], deletedPayments: [] };
  }
  const named = { psuId: user.userId, connectionId };
  return {
    ...report,
    accounts: accounts.map((item) => ({ ...item, ...named })),
    payments: payments.map((item) => ({ ...item, ...named })),
    balances: balances.map((item) => ({ ...item, ...named })),
  };
}

interface KnownUser {
  readonly userId: string;
  readonly userKey: number;
}

/** Prepares to store news of users' connections. News of an unknown user are left out. */
export async function prepareConnectionNews(
  context: ServiceContext,
  connector: InstalledConnector,
  news: readonly ConnectionNews[],
): Promise<PreparedPage> {
  const page: PreparedPage = { statements: [], events: [] };
  for (const each of news) {
    const user = await findUser(context, connector, each);
    if (user === undefined) continue;
    const prepared = await prepareNews(context, { connector, user, news: each });
    page.statements.push(...prepared.statements);
    page.events.push(...prepared.events);
  }
  return page;
}

interface UserNews {
  readonly connector: InstalledConnector;
  readonly user: KnownUser;
  readonly news: ConnectionNews;
}

async function prepareNews(
  context: ServiceContext,
  { connector, user: { userId, userKey }, news }: UserNews,
): Promise<PreparedPage> {
  const about = { userId, connector: connector.id };
  switch (news.kind) {
    case "user-disconnected":
      return { statements: [], events: [{ event: userDisconnectedEvent(about, news) }] };
    case "pending-disconnect":
      return { statements: [], events: [{ event: pendingDisconnectEvent(about, news) }] };
    case "disconnected":
      return {
        statements: [upsertConnection(context, { connector, userKey, news })],
        events: [{ event: disconnectedEvent(about, news) }],
      };
    case "reconnected": {
      const { connectionId } = news;
      const before = await findConnection(context, { userKey, connector, connectionId });
      const event = reconnectedEvent({ ...about, connectionId }, news.at);
      return {
        statements: [upsertConnection(context, { connector, userKey, news })],
        events: before?.status === "ERROR" ? [{ event }] : [],
      };
    }
    case "data-ready": {
      const { connectionId } = news;
      const named = { userId, userKey, connector, connectionId, now: context.clock() };
      const statements = connectionFetches(databaseOf(context.env), named);
      return { statements: [...statements], events: [] };
    }
  }
}

/**
 * The statement that stores the status of a connection. News that are older than the stored status change nothing, because
 * deliveries come in any order.
 */
function upsertConnection(
  { env }: Pick<ServiceContext, "env">,
  {
    connector,
    userKey,
    news,
  }: {
    readonly connector: InstalledConnector;
    readonly userKey: number;
    readonly news: Extract<ConnectionNews, { readonly kind: "disconnected" | "reconnected" }>;
  },
) {
  const isBroken = news.kind === "disconnected";
  const error = isBroken ? (news.reason ?? null) : null;
  return databaseOf(env)
    .insert(paymentUserConnections)
    .values({
      userKey,
      connectorKey: connector.key,
      connectionId: news.connectionId,
      status: isBroken ? "ERROR" : "ACTIVE",
      error,
      metadata: "{}",
      metadataBits: 0,
      createdAt: news.at,
      updatedAt: news.at,
    })
    .onConflictDoUpdate({
      target: [
        paymentUserConnections.connectorKey,
        paymentUserConnections.connectionId,
        paymentUserConnections.userKey,
      ],
      set: {
        status: sql`excluded.status`,
        error: sql`excluded.error`,
        updatedAt: sql`excluded.updated_at`,
      },
      setWhere: sql`excluded.updated_at >= ${paymentUserConnections.updatedAt}`,
    });
}

/** The user with a provider's id; without this id, the user of the connection. */
async function findUser(
  { env }: Pick<ServiceContext, "env">,
  { key }: InstalledConnector,
  { providerUserId, connectionId }: Partial<ConnectionOwner>,
): Promise<KnownUser | undefined> {
  const isUser =
    providerUserId === undefined
      ? sql`EXISTS (
          SELECT 1 FROM ${paymentUserConnections} AS c
          WHERE c.connector_key = ${key} AND c.connection_id = ${connectionId} AND c.user_key = f.user_key)`
      : sql`f.provider_user_id = ${providerUserId}`;
  const [user] = await databaseOf(env).all<KnownUser>(sql`
    SELECT u.id AS userId, u.key AS userKey FROM ${paymentForwardedUsers} AS f
    JOIN ${paymentUsers} AS u ON u.key = f.user_key
    WHERE f.connector_key = ${key} AND ${isUser} LIMIT 1`);
  return user;
}
