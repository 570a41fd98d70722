import { z } from "@hono/zod-openapi";
import { OrderResponse, toOrderView } from "./order-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { listOrders } from "#modules/payments/orders/list.ts";
import { getOrder } from "#modules/payments/orders/store.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const orders = operations({
  path: "/v3/orders",
  tags: ["Orders and conversions"],
  scope: "payments",
});

export const registerOrders = registration(
  orders.get("", {
    operationId: "v3ListOrders",
    summary: "List orders",
    description:
      "Filters: `id`, `reference`, `connector_id`, `direction`, `source_asset`, `destination_asset`, `type`, `status`, `time_in_force`, `base_quantity_ordered`, `base_quantity_filled`, `limit_price`, `fee`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of orders", OrderResponse, toOrderView),
    handle: listing("orders", listOrders),
  }),
  orders.get("/{orderID}", {
    operationId: "v3GetOrder",
    summary: "Read an order",
    params: z.object({ orderID: ownedIdParam("order") }),
    answer: ok.data("The order", OrderResponse, toOrderView),
    errors: [404],
    handle: ({ params, context }) => getOrder(context, params.orderID),
  }),
);
