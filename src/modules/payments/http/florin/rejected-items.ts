import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { dismissRejectedItem, retryRejectedItems } from "#modules/payments/rejected/change.ts";
import { listRejectedItems, type ListedRejection } from "#modules/payments/rejected/list.ts";
import { REJECTED_BYTES_MAX, REJECTED_ITEMS_MAX } from "#modules/payments/rejected/store.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { Count, cursorOf, TimestampOutput, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import { formatTimestamp } from "#platform/time.ts";

const TAGS = ["Connectors"];
const Params = z.object({ connectorID: connectorIdParam() });
const PATH = "/payments/connectors/{connectorID}/rejected";

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

/** Registers Florin's own operations on rejected items. */
export function registerRejectedItems(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: PATH,
      operationId: "listRejectedItems",
      summary: "List the rejected items of a connector",
      description: `Items that could not be read or are not valid, newest first. Each run fetches their pages again, except for items of webhooks. At most ${REJECTED_ITEMS_MAX} items of ${REJECTED_BYTES_MAX} bytes together are kept; a page with more of them is not stored, and its fetch fails until there is room. Filters: \`item_id\`, \`task\`.`,
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of items", cursorOf(RejectedItemResponse)), ...errors(404) },
    },
    async ({ params, query, body, c }) => {
      const { settings } = deploymentOf(c);
      const wanted = toListQuery("rejected-items", { query, body, settings });
      const page = await listRejectedItems(c.var.context, {
        id: params.connectorID,
        query: wanted,
      });
      return { status: 200, body: toCursorView(mapPage(page, toView)) };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/retry`,
      operationId: "retryRejectedItems",
      summary: "Fetch the rejected items of a connector again",
      description:
        "The schedules run now and fetch the pages of the items again. Items that can be read now are stored.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("The schedules run"), ...errors(404) },
    },
    async ({ params, c }) => {
      await retryRejectedItems(c.var.context, params.connectorID);
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: `${PATH}/{itemID}`,
      operationId: "dismissRejectedItem",
      summary: "Dismiss a rejected item of a connector",
      description: "The item is rejected again if a later page of the provider contains it.",
      tags: TAGS,
      scope: "payments:write",
      params: Params.extend({ itemID: z.string() }),
      responses: { 204: empty("Dismissed"), ...errors(404) },
    },
    async ({ params: { connectorID: connector, itemID }, c }) => {
      const key = /^\d{1,15}$/.test(itemID) ? Number(itemID) : 0;
      await dismissRejectedItem(c.var.context, { connector, key });
      return { status: 204 };
    },
  );
}

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
