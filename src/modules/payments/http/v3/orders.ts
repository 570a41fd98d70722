import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { OrderResponse, toOrderView } from "./order-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { listOrders } from "#modules/payments/orders/list.ts";
import { getOrder } from "#modules/payments/orders/store.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Orders and conversions"];

export function registerOrders(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/orders",
      operationId: "v3ListOrders",
      summary: "List orders",
      description:
        "Filters: `id`, `reference`, `connector_id`, `direction`, `source_asset`, `destination_asset`, `type`, `status`, `time_in_force`, `base_quantity_ordered`, `base_quantity_filled`, `limit_price`, `fee`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of orders", cursorOf(OrderResponse)) },
    },
    listing("orders", listOrders, toOrderView),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/orders/{orderID}",
      operationId: "v3GetOrder",
      summary: "Read an order",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ orderID: ownedIdParam("order") }),
      responses: { 200: json("The order", dataOf(OrderResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const order = await getOrder(c.var.context, params.orderID);
      return { status: 200, body: { data: toOrderView(order) } };
    },
  );
}
