import { and, eq } from "drizzle-orm";
import { getUserKey } from "./store.ts";
import { paymentLinkAttempts } from "./tables.ts";
import type { LinkAttempt } from "./user.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { uuidKey } from "#modules/payments/installs/filters.ts";
import { getConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const attempts = paymentLinkAttempts;

const LINK_ATTEMPTS: ListTable<LinkAttempt> = {
  keys: {
    id: uuidKey(attempts.id),
    status: { type: "set", column: attempts.status },
  },
  sort: {
    created_at: {
      type: "date",
      column: attempts.createdAt,
      tie: attempts.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** The columns that answers show. */
const COLUMNS = {
  key: attempts.key,
  id: attempts.id,
  status: attempts.status,
  error: attempts.error,
  clientRedirectUrl: attempts.clientRedirectUrl,
  createdAt: attempts.createdAt,
};

/** The user and the connector of attempts. */
export interface LinkScope {
  readonly userId: string;
  readonly connector: ConnectorId;
}

/** A page of a user's attempts at a connector. Throws `NOT_FOUND`, and `VALIDATION` for a bad filter. */
export async function listLinkAttempts(
  context: ServiceContext,
  scope: LinkScope,
  query: PageQuery,
): Promise<Page<LinkAttempt>> {
  const { userKey, connector } = await ownersOf(context, scope);
  return listPage(query, {
    ...LINK_ATTEMPTS,
    read: async (scan) => {
      const where = and(
        eq(attempts.userKey, userKey),
        eq(attempts.connectorKey, connector.key),
        scan.where,
      );
      const rows = await databaseOf(context.env)
        .select(COLUMNS)
        .from(attempts)
        .where(isSelected(attempts.key, { ...scan, where }))
        .orderBy(...scan.orderBy);
      return rows.map((row) => toAttempt(row, scope));
    },
  });
}

/** An attempt of a user at a connector. Throws `NOT_FOUND` for an unknown user, connector or attempt. */
export async function getLinkAttempt(
  context: ServiceContext,
  { attemptId, ...scope }: LinkScope & { readonly attemptId: string },
): Promise<LinkAttempt> {
  const { userKey, connector } = await ownersOf(context, scope);
  const [row] = await databaseOf(context.env)
    .select(COLUMNS)
    .from(attempts)
    .where(
      and(
        eq(attempts.id, attemptId),
        eq(attempts.userKey, userKey),
        eq(attempts.connectorKey, connector.key),
      ),
    );
  if (row === undefined) {
    throw new AppError("NOT_FOUND", "cannot get link attempt: not found");
  }
  return toAttempt(row, scope);
}

async function ownersOf(
  context: ServiceContext,
  { userId, connector }: LinkScope,
): Promise<{ userKey: number; connector: InstalledConnector }> {
  const userKey = await getUserKey(context, userId);
  return { userKey, connector: await getConnector(context, connector) };
}

const toAttempt = (
  { error, ...row }: Pick<typeof attempts.$inferSelect, keyof typeof COLUMNS>,
  { userId, connector }: LinkScope,
): LinkAttempt => ({ ...row, ...given({ error }), userId, connector });
