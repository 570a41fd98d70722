import { and, eq } from "drizzle-orm";
import { openRaw, type RejectedRow } from "./store.ts";
import { paymentRejectedItems } from "./tables.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

/** A rejected item with its raw text in clear. */
export type ListedRejection = RejectedRow;

const REJECTED: ListTable<RejectedRow> = {
  keys: {
    item_id: { type: "text", column: paymentRejectedItems.itemId },
    task: { type: "text", column: paymentRejectedItems.task },
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentRejectedItems.createdAt,
      tie: paymentRejectedItems.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of a connector's rejected items. Throws `NOT_FOUND`. */
export async function listRejectedItems(
  context: Pick<ServiceContext, "env">,
  { id, query }: { readonly id: ConnectorId; readonly query: PageQuery },
): Promise<Page<ListedRejection>> {
  const connector = await getConnector(context, id);
  const page = await listPage(query, {
    ...REJECTED,
    read: ({ where, orderBy, limit, offset }) =>
      databaseOf(context.env)
        .select()
        .from(paymentRejectedItems)
        .where(and(eq(paymentRejectedItems.connectorKey, connector.key), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
  return mapPage(page, (row) => ({ ...row, raw: openRaw(context, connector, row) }));
}
