import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  PaymentRequest,
  PaymentResponse,
  toFullPaymentView,
  toNewPayment,
  toPaymentView,
} from "./payment-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { paymentIdParam } from "#modules/payments/http/path-ids.ts";
import { getPayment } from "#modules/payments/payments/get.ts";
import { createPayment } from "#modules/payments/payments/ingestion/create-payment.ts";
import { listPayments } from "#modules/payments/payments/list.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Payments"];
const Params = z.object({ paymentID: paymentIdParam() });

export function registerPayments(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/payments",
      operationId: "v3CreatePayment",
      summary: "Create a payment",
      description:
        "Connectors of the kinds `generic` and `dummypay` allow it. If there is a payment with this reference and type, it gets the adjustments that it does not have, and is the answer.",
      tags: TAGS,
      scope: "payments:write",
      body: PaymentRequest,
      responses: { 201: json("The payment", dataOf(PaymentResponse)) },
    },
    async ({ body, c }) => {
      const payment = await createPayment(c.var.context, toNewPayment(body));
      return { status: 201, body: { data: toFullPaymentView(payment) } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/payments",
      operationId: "v3ListPayments",
      summary: "List payments",
      description:
        "Filters: `id`, `reference`, `connector_id`, `type`, `asset`, `scheme`, `status`, `source_account_id`, `destination_account_id`, `psu_id`, `open_banking_connection_id`, `initial_amount`, `amount`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of payments", cursorOf(PaymentResponse)) },
    },
    listing("payments", listPayments, toPaymentView),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/payments/{paymentID}",
      operationId: "v3GetPayment",
      summary: "Read a payment",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The payment", dataOf(PaymentResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const payment = await getPayment(c.var.context, params.paymentID);
      return { status: 200, body: { data: toFullPaymentView(payment) } };
    },
  );
}
