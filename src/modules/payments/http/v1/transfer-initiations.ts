import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { toNewInitiationV1 } from "#modules/payments/http/initiation-requests.ts";
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
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Payments API v1"];
const Params = z.object({ transferId: ownedIdParam("transfer initiation") });
const PATH = "/transfer-initiations";

const WAITS = "The answer comes with the outcome, or after ten seconds without one.";

export function registerTransferInitiations(app: OpenAPIHono<AppEnv>): void {
  registerCreation(app);
  registerList(app);
  registerOne(app);
  registerStatus(app);
  registerRetry(app);
  registerReversal(app);
}

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

function registerCreation(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: PATH,
      operationId: "createTransferInitiation",
      summary: "Create a transfer initiation",
      tags: TAGS,
      scope: "payments:write",
      body: TransferInitiationRequest,
      responses: { 200: json("The initiation", dataOf(TransferInitiationResponse)) },
    },
    async ({ body, c }) => {
      const { context } = c.var;
      const created = await createInitiation(context, {
        ...toNewInitiationV1(body, context.clock()),
        isSent: body.validated === true,
      });
      const { id, task } = created;
      if (task !== undefined) await awaitOutcome(c, { initiation: id, task });
      const shown = await readInitiation(context, id);
      return { status: 200, body: { data: toTransferInitiationView(shown) } };
    },
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      ...LIST,
      path: PATH,
      operationId: "listTransferInitiations",
      summary: "List transfer initiations",
      tags: TAGS,
      responses: { 200: json("A page of initiations", cursorOf(TransferInitiationResponse)) },
    },
    listing("payment-initiations", listShownInitiations, toTransferInitiationView),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/{transferId}`,
      operationId: "getTransferInitiation",
      summary: "Read a transfer initiation with its payments and adjustments",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: {
        200: json("The initiation", dataOf(FullTransferInitiationResponse)),
        ...errors(404),
      },
    },
    async ({ params, c }) => {
      const { context } = c.var;
      const initiation = await readInitiation(context, params.transferId);
      const relations = {
        payments: await allInitiationPayments(context, initiation),
        adjustments: await allInitiationAdjustments(context, initiation),
      };
      return { status: 200, body: { data: toFullTransferInitiationView(initiation, relations) } };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: `${PATH}/{transferId}`,
      operationId: "deleteTransferInitiation",
      summary: "Delete a transfer initiation that waits for its approval",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await deleteInitiation(c.var.context, params.transferId);
      return { status: 204 };
    },
  );
}

function registerStatus(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/{transferId}/status`,
      operationId: "updateTransferInitiationStatus",
      summary: "Approve or reject a transfer initiation",
      description: WAITS,
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: StatusRequest,
      responses: { 204: empty("Approved or rejected"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const initiation = params.transferId;
      if (body.status === "REJECTED") {
        await rejectInitiation(c.var.context, initiation);
        return { status: 204 };
      }
      const task = await approveInitiation(c.var.context, initiation);
      await awaitOutcome(c, { initiation, task });
      return { status: 204 };
    },
  );
}

function registerRetry(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/{transferId}/retry`,
      operationId: "retryTransferInitiation",
      summary: "Send a failed transfer initiation again",
      description: WAITS,
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Sent again"), ...errors(404) },
    },
    async ({ params, c }) => {
      const initiation = params.transferId;
      const task = await retryInitiation(c.var.context, initiation);
      await awaitOutcome(c, { initiation, task });
      return { status: 204 };
    },
  );
}

function registerReversal(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/{transferId}/reverse`,
      operationId: "reverseTransferInitiation",
      summary: "Bring back all or a part of the money that a transfer initiation has moved",
      description: WAITS,
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: TransferReversalRequest,
      responses: { 204: empty("Brought back"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const initiation = params.transferId;
      const { task } = await reverseInitiation(c.var.context, { ...body, initiation });
      await awaitOutcome(c, { initiation, task });
      return { status: 204 };
    },
  );
}
