import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  FullTransferInitiationResponse,
  StatusRequest,
  toFullTransferInitiationView,
  toTransferInitiationView,
  TransferInitiationRequest,
  TransferInitiationResponse,
  TransferReversalRequest,
} from "./transfer-initiation-schemas.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { RECORDED_FIELDS, toNewInitiationV1 } from "#modules/payments/http/initiation-requests.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { approveInitiation } from "#modules/payments/initiations/approve.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { deleteInitiation } from "#modules/payments/initiations/delete.ts";
import { allInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { reverseInitiation } from "#modules/payments/initiations/reverse.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { listShownInitiations, readInitiation } from "#modules/payments/movements/progress.ts";
import { waitForTask } from "#modules/payments/movements/wait-for-task.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { allInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, ok, operations, registration } from "#platform/http/index.ts";

const initiations = operations({
  path: "/transfer-initiations",
  tags: ["Payments API v1"],
  scope: "payments",
});
const Params = z.object({ transferId: ownedIdParam("transfer initiation") });

const WAITS = "The answer comes with the outcome, or after ten seconds without one.";

/**
 * Wakes the connector and waits for the outcome of a task, unless the initiation waits for its time. Throws `VALIDATION` if
 * the task has failed.
 */
async function awaitOutcome(
  c: Context<AppEnv>,
  { initiation, task }: { readonly initiation: OwnedId; readonly task: OwnedId },
): Promise<void> {
  const { context } = c.var;
  const { state } = await getInitiation(context, initiation);
  if (state.status === "SCHEDULED_FOR_PROCESSING") return;
  await wakeMovements(context, initiation.connector);
  const ended = await waitForTask(context, task);
  if (ended?.status === "FAILED") throw new AppError("VALIDATION", ended.error ?? "it has failed");
}

export const registerTransferInitiations = registration(
  initiations.post("", {
    operationId: "createTransferInitiation",
    summary: "Create a transfer initiation",
    body: TransferInitiationRequest,
    recordedFields: RECORDED_FIELDS,
    answer: ok.data("The initiation", TransferInitiationResponse, toTransferInitiationView),
    handle: async ({ body, context, c }) => {
      const created = await createInitiation(context, {
        ...toNewInitiationV1(body, context.clock()),
        isSent: body.validated === true,
      });
      const { id, task } = created;
      if (task !== undefined) await awaitOutcome(c, { initiation: id, task });
      return readInitiation(context, id);
    },
  }),
  initiations.get("", {
    operationId: "listTransferInitiations",
    summary: "List transfer initiations",
    ...LIST,
    answer: ok.page("A page of initiations", TransferInitiationResponse, toTransferInitiationView),
    handle: listing("payment-initiations", listShownInitiations),
  }),
  initiations.get("/{transferId}", {
    operationId: "getTransferInitiation",
    summary: "Read a transfer initiation with its payments and adjustments",
    params: Params,
    answer: ok.data("The initiation", FullTransferInitiationResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const initiation = await readInitiation(context, params.transferId);
      const relations = {
        payments: await allInitiationPayments(context, initiation),
        adjustments: await allInitiationAdjustments(context, initiation),
      };
      return toFullTransferInitiationView(initiation, relations);
    },
  }),
  initiations.delete("/{transferId}", {
    operationId: "deleteTransferInitiation",
    summary: "Delete a transfer initiation that waits for its approval",
    params: Params,
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: ({ params, context }) => deleteInitiation(context, params.transferId),
  }),
  initiations.post("/{transferId}/status", {
    operationId: "updateTransferInitiationStatus",
    summary: "Approve or reject a transfer initiation",
    description: WAITS,
    params: Params,
    body: StatusRequest,
    answer: ok.empty("Approved or rejected"),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const initiation = params.transferId;
      if (body.status === "REJECTED") {
        await rejectInitiation(context, initiation);
      } else {
        const task = await approveInitiation(context, initiation);
        await awaitOutcome(c, { initiation, task });
      }
    },
  }),
  initiations.post("/{transferId}/retry", {
    operationId: "retryTransferInitiation",
    summary: "Send a failed transfer initiation again",
    description: WAITS,
    params: Params,
    answer: ok.empty("Sent again"),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const initiation = params.transferId;
      const task = await retryInitiation(context, initiation);
      await awaitOutcome(c, { initiation, task });
    },
  }),
  initiations.post("/{transferId}/reverse", {
    operationId: "reverseTransferInitiation",
    summary: "Bring back all or a part of the money that a transfer initiation has moved",
    description: WAITS,
    params: Params,
    body: TransferReversalRequest,
    recordedFields: RECORDED_FIELDS,
    answer: ok.empty("Brought back"),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const initiation = params.transferId;
      const { task } = await reverseInitiation(context, { ...body, initiation });
      await awaitOutcome(c, { initiation, task });
    },
  }),
);
