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
      description: "The id that the provider has given it; of an item without one, its digest.",
    }),
    task: z.string().openapi({ description: "What was fetched: `FETCH_PAYMENTS`, for example." }),
    reason: z.string(),
    raw: z.string().openapi({
      description:
        "The beginning of what the provider has sent, without secrets and numbers of cards and bank accounts.",
    }),
    createdAt: TimestampOutput,
    triedAt: TimestampOutput.openapi({ description: "When it was tried last." }),
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
      summary: "List what a connector has set aside",
      description: `Items that could not be read or are not valid, the newest first. They are tried again in each run. At most ${REJECTED_ITEMS_MAX} items of ${REJECTED_BYTES_MAX} bytes are set aside; what does not fit stays at the provider, and holds up its feed. Filters: \`item_id\`, \`task\`.`,
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
      summary: "Try again what a connector has set aside",
      description:
        "The schedules run now, and ask for the pages of the items again. What can be read now is stored.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("It is tried again"), ...errors(404) },
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
      summary: "Forget an item that a connector has set aside",
      description: "It is set aside again where a later page of the provider brings it again.",
      tags: TAGS,
      scope: "payments:write",
      params: Params.extend({ itemID: z.string() }),
      responses: { 204: empty("Forgotten"), ...errors(404) },
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
