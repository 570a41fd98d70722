import { z } from "@hono/zod-openapi";
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
import { ok, operations, registration } from "#platform/http/index.ts";

const payments = operations({ path: "/payments", tags: ["Payments API v1"], scope: "payments" });

export const registerPaymentsV1 = registration(
  payments.post("", {
    operationId: "createPayment",
    summary: "Create a payment",
    body: PaymentV1Request,
    answer: ok.data("The payment", PaymentV1Response, toPaymentV1View),
    handle: ({ body, context }) => createPayment(context, toNewPaymentV1(body)),
  }),
  payments.get("", {
    operationId: "listPayments",
    summary: "List payments",
    ...LIST,
    answer: ok.page("A page of payments", PaymentV1Response, toPaymentV1View),
    handle: listing("payments", listPaymentsWithAdjustments),
  }),
  payments.get("/{paymentId}", {
    operationId: "getPayment",
    summary: "Read a payment",
    params: z.object({ paymentId: paymentIdParam() }),
    answer: ok.data("The payment", PaymentV1Response, toPaymentV1View),
    errors: [404],
    handle: ({ params, context }) => getPayment(context, params.paymentId),
  }),
);
