import { z } from "@hono/zod-openapi";
import { ReversalRequest } from "./initiation-schemas.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { RECORDED_FIELDS } from "#modules/payments/http/initiation-requests.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { ADJUSTMENTS_MAX } from "#modules/payments/initiations/adjustment-keys.ts";
import { approveInitiation } from "#modules/payments/initiations/approve.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { reverseInitiation } from "#modules/payments/initiations/reverse.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const Params = z.object({ paymentInitiationID: ownedIdParam("payment initiation") });
const initiations = operations({
  path: "/v3/payment-initiations/{paymentInitiationID}",
  tags: ["Payment initiations"],
  scope: "payments",
  params: Params,
});
const TaskResponse = z.object({ taskID: z.string() });

/** Registers the operations that approve, retry, reject and reverse an initiation. */
export const registerInitiationActions = registration(
  initiations.post("/approve", {
    operationId: "v3ApprovePaymentInitiation",
    summary: "Approve a payment initiation, so that its money is sent",
    answer: ok.accepted("The task that sends it", TaskResponse),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const id = params.paymentInitiationID;
      const task = await approveInitiation(context, id);
      c.executionCtx.waitUntil(wakeMovements(context, id.connector));
      return { taskID: encodeOwnedId(task) };
    },
  }),
  initiations.post("/retry", {
    operationId: "v3RetryPaymentInitiation",
    summary: "Send a failed payment initiation again",
    description:
      "The provider gets the same reference as before, so that it moves the money once, even if it has done so already. " +
      `With ${ADJUSTMENTS_MAX} adjustments, an initiation is not sent again.`,
    answer: ok.accepted("The task that sends it", TaskResponse),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const id = params.paymentInitiationID;
      const task = await retryInitiation(context, id);
      c.executionCtx.waitUntil(wakeMovements(context, id.connector));
      return { taskID: encodeOwnedId(task) };
    },
  }),
  initiations.post("/reject", {
    operationId: "v3RejectPaymentInitiation",
    summary: "Reject a payment initiation that waits for its approval",
    description:
      "While its connector is disarmed, an approved initiation whose provider was never asked is rejected, too.",
    answer: ok.empty("Rejected"),
    errors: [404],
    handle: ({ params, context }) => rejectInitiation(context, params.paymentInitiationID),
  }),
  initiations.post("/reverse", {
    operationId: "v3ReversePaymentInitiation",
    summary: "Bring back all or a part of the money that a payment initiation has moved",
    description:
      "The task of a reversal that is not allowed fails with the reason. A repeated reference gives the same reversal.",
    body: ReversalRequest,
    recordedFields: RECORDED_FIELDS,
    answer: ok.accepted(
      "The reversal and its task",
      z.object({ paymentInitiationReversalID: z.string(), taskID: z.string() }),
    ),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const initiation = params.paymentInitiationID;
      const { id, task } = await reverseInitiation(context, { ...body, initiation });
      c.executionCtx.waitUntil(wakeMovements(context, initiation.connector));
      return {
        paymentInitiationReversalID: encodeOwnedId(id),
        taskID: encodeOwnedId(task),
      };
    },
  }),
);
