import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  PaymentV1Request,
  PaymentV1Response,
  toNewPaymentV1,
  toPaymentV1View,
} from "./payment-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { paymentIdParam } from "#modules/payments/http/path-ids.ts";
import { getPayment } from "#modules/payments/payments/get.ts";
import { createPayment } from "#modules/payments/payments/ingestion/create-payment.ts";
import { listPaymentsWithAdjustments } from "#modules/payments/payments/list.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Payments API v1"];

export function registerPaymentsV1(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/payments",
      operationId: "createPayment",
      summary: "Create a payment",
      tags: TAGS,
      scope: "payments:write",
      body: PaymentV1Request,
      responses: { 200: json("The payment", dataOf(PaymentV1Response)) },
    },
    async ({ body, c }) => {
      const payment = await createPayment(c.var.context, toNewPaymentV1(body));
      return { status: 200, body: { data: toPaymentV1View(payment) } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/payments",
      operationId: "listPayments",
      summary: "List payments",
      tags: TAGS,
      responses: { 200: json("A page of payments", cursorOf(PaymentV1Response)) },
    },
    listing("payments", listPaymentsWithAdjustments, toPaymentV1View),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/payments/{paymentId}",
      operationId: "getPayment",
      summary: "Read a payment",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ paymentId: paymentIdParam() }),
      responses: { 200: json("The payment", dataOf(PaymentV1Response)), ...errors(404) },
    },
    async ({ params, c }) => {
      const payment = await getPayment(c.var.context, params.paymentId);
      return { status: 200, body: { data: toPaymentV1View(payment) } };
    },
  );
}
