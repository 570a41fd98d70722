import { z } from "@hono/zod-openapi";
import { LIST, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { dismissRejectedItem, retryRejectedItems } from "#modules/payments/rejected/change.ts";
import { listRejectedItems, type ListedRejection } from "#modules/payments/rejected/list.ts";
import { REJECTED_BYTES_MAX, REJECTED_ITEMS_MAX } from "#modules/payments/rejected/store.ts";
import { Count, ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const Params = z.object({ connectorID: connectorIdParam() });
const rejectedItems = operations({
  path: "/payments/connectors/{connectorID}/rejected",
  tags: ["Connectors"],
  scope: "payments",
  params: Params,
});

const RejectedItemResponse = z
  .object({
    id: z.string(),
    itemID: z.string().openapi({
      description: "The provider's id of the item; a digest of an item without an id.",
    }),
    task: z.string().openapi({
      description:
        "The task that has fetched the item, such as `FETCH_PAYMENTS`, or the webhook that has brought it.",
    }),
    reason: z.string(),
    raw: z.string().openapi({
      description:
        "The beginning of the provider's data, without secrets and without numbers of cards and bank accounts.",
    }),
    createdAt: TimestampOutput,
    triedAt: TimestampOutput.openapi({ description: "The time of the last attempt." }),
    attempts: Count,
  })
  .openapi("PaymentRejectedItem");

const toView = (row: ListedRejection): z.input<typeof RejectedItemResponse> => ({
  id: String(row.key),
  itemID: row.itemId,
  task: row.task,
  reason: row.reason,
  raw: row.raw,
  createdAt: formatTimestamp(row.createdAt),
  triedAt: formatTimestamp(row.triedAt),
  attempts: row.attempts,
});

/** Registers Florin's own operations on rejected items. */
export const registerRejectedItems = registration(
  rejectedItems.get("", {
    operationId: "listRejectedItems",
    summary: "List the rejected items of a connector",
    description: `Items that could not be read or are not valid, newest first. Each run fetches their pages again, except for items of webhooks. At most ${REJECTED_ITEMS_MAX} items of ${REJECTED_BYTES_MAX} bytes together are kept; a page with more of them is not stored, and its fetch fails until there is room. Filters: \`item_id\`, \`task\`.`,
    ...LIST,
    answer: ok.page("A page of items", RejectedItemResponse, toView),
    errors: [404],
    handle: ({ params, query, body, context, c }) => {
      const wanted = toListQuery("rejected-items", { query, body, c });
      return listRejectedItems(context, { id: params.connectorID, query: wanted });
    },
  }),
  rejectedItems.post("/retry", {
    operationId: "retryRejectedItems",
    summary: "Fetch the rejected items of a connector again",
    description:
      "The schedules run now and fetch the pages of the items again. Items that can be read now are stored.",
    answer: ok.empty("The schedules run"),
    errors: [404],
    handle: ({ params, context }) => retryRejectedItems(context, params.connectorID),
  }),
  rejectedItems.delete("/{itemID}", {
    operationId: "dismissRejectedItem",
    summary: "Dismiss a rejected item of a connector",
    description: "The item is rejected again if a later page of the provider contains it.",
    params: Params.extend({ itemID: z.string() }),
    answer: ok.empty("Dismissed"),
    errors: [404],
    handle: async ({ params: { connectorID: connector, itemID }, context }) => {
      const key = /^\d{1,15}$/.test(itemID) ? Number(itemID) : 0;
      await dismissRejectedItem(context, { connector, key });
    },
  }),
);
