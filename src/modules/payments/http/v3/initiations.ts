import { z } from "@hono/zod-openapi";
import {
  InitiationAdjustmentResponse,
  InitiationRequest,
  InitiationResponse,
  toAdjustmentView,
  toInitiationView,
} from "./initiation-schemas.ts";
import { PaymentResponse, toFullPaymentView } from "./payment-schemas.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { RECORDED_FIELDS, toNewInitiation } from "#modules/payments/http/initiation-requests.ts";
import { LIST, listing, toListQuery } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { deleteInitiation } from "#modules/payments/initiations/delete.ts";
import { listInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { listShownInitiations, readInitiation } from "#modules/payments/movements/progress.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { listInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { ok, operations, registration } from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const initiations = operations({
  path: "/v3/payment-initiations",
  tags: ["Payment initiations"],
  scope: "payments",
});
const Params = z.object({ paymentInitiationID: ownedIdParam("payment initiation") });

/** Only the text `true` sends money without an approval; other spellings do not. */
const NoValidation = z
  .string()
  .optional()
  .transform((text) => text === "true")
  .openapi({ type: "boolean" });

export const registerInitiations = registration(
  initiations.post("", {
    operationId: "v3InitiatePayment",
    summary: "Create a payment initiation",
    description:
      "It waits for an approval before any money moves. With `noValidation=true`, it is sent at once, or at its time.",
    query: z.object({ noValidation: NoValidation }),
    body: InitiationRequest,
    recordedFields: RECORDED_FIELDS,
    answer: ok.accepted(
      "Its id",
      z.object({ paymentInitiationID: z.string(), taskID: z.string() }),
    ),
    handle: async ({ query, body, context, c }) => {
      const { id, task } = await createInitiation(context, {
        ...toNewInitiation(body, context.clock()),
        isSent: query.noValidation,
      });
      if (task !== undefined) c.executionCtx.waitUntil(wakeMovements(context, id.connector));
      const taskID = task === undefined ? "" : encodeOwnedId(task);
      return { paymentInitiationID: encodeOwnedId(id), taskID };
    },
  }),
  initiations.get("", {
    operationId: "v3ListPaymentInitiations",
    summary: "List payment initiations",
    description:
      "Filters: `id`, `reference`, `connector_id`, `type`, `asset`, `source_account_id`, `destination_account_id`, `status`, `amount`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of initiations", InitiationResponse, toInitiationView),
    handle: listing("payment-initiations", listShownInitiations),
  }),
  initiations.get("/{paymentInitiationID}", {
    operationId: "v3GetPaymentInitiation",
    summary: "Read a payment initiation",
    params: Params,
    answer: ok.data("The initiation", InitiationResponse, toInitiationView),
    errors: [404],
    handle: ({ params, context }) => readInitiation(context, params.paymentInitiationID),
  }),
  initiations.delete("/{paymentInitiationID}", {
    operationId: "v3DeletePaymentInitiation",
    summary: "Delete a payment initiation that waits for its approval",
    params: Params,
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: ({ params, context }) => deleteInitiation(context, params.paymentInitiationID),
  }),
  initiations.get("/{paymentInitiationID}/adjustments", {
    operationId: "v3ListPaymentInitiationAdjustments",
    summary: "List the adjustments of a payment initiation, newest first",
    description: "Filters: `status`, `metadata[key]`.",
    params: Params,
    ...LIST,
    answer: ok.page("A page of adjustments", InitiationAdjustmentResponse),
    errors: [404],
    handle: async ({ params, query, body, context, c }) => {
      const initiation = await getInitiation(context, params.paymentInitiationID);
      const wanted = toListQuery("payment-initiation-adjustments", {
        query,
        body,
        c,
        column: "key",
      });
      const page = await listInitiationAdjustments(context, initiation, wanted);
      return mapPage(page, (adjustment) => toAdjustmentView(initiation, adjustment));
    },
  }),
  initiations.get("/{paymentInitiationID}/payments", {
    operationId: "v3ListPaymentInitiationRelatedPayments",
    summary: "List the payments that were made for a payment initiation, newest first",
    description: "A filter is ignored.",
    params: Params,
    ...LIST,
    answer: ok.page("A page of payments", PaymentResponse, toFullPaymentView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const initiation = await getInitiation(context, params.paymentInitiationID);
      const { query: _filter, ...unfiltered } = query;
      const wanted = toListQuery("payment-initiation-payments", {
        query: unfiltered,
        body: undefined,
        c,
      });
      return listInitiationPayments(context, initiation, wanted);
    },
  }),
);
