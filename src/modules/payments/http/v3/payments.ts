import { z } from "@hono/zod-openapi";
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
import { ok, operations, registration } from "#platform/http/index.ts";

const payments = operations({ path: "/v3/payments", tags: ["Payments"], scope: "payments" });
const Params = z.object({ paymentID: paymentIdParam() });

export const registerPayments = registration(
  payments.post("", {
    operationId: "v3CreatePayment",
    summary: "Create a payment",
    description:
      "Connectors of the kinds `generic` and `dummypay` allow it. If there is a payment with this reference and type, it gets the adjustments that it does not have, and is the answer.",
    body: PaymentRequest,
    answer: ok.created("The payment", PaymentResponse, toFullPaymentView),
    handle: ({ body, context }) => createPayment(context, toNewPayment(body)),
  }),
  payments.get("", {
    operationId: "v3ListPayments",
    summary: "List payments",
    description:
      "Filters: `id`, `reference`, `connector_id`, `type`, `asset`, `scheme`, `status`, `source_account_id`, `destination_account_id`, `psu_id`, `open_banking_connection_id`, `initial_amount`, `amount`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of payments", PaymentResponse, toPaymentView),
    handle: listing("payments", listPayments),
  }),
  payments.get("/{paymentID}", {
    operationId: "v3GetPayment",
    summary: "Read a payment",
    params: Params,
    answer: ok.data("The payment", PaymentResponse, toFullPaymentView),
    errors: [404],
    handle: ({ params, context }) => getPayment(context, params.paymentID),
  }),
);
