import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ReversalRequest } from "./initiation-schemas.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { ADJUSTMENTS_MAX } from "#modules/payments/initiations/adjustment-keys.ts";
import { approveInitiation } from "#modules/payments/initiations/approve.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { reverseInitiation } from "#modules/payments/initiations/reverse.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Payment initiations"];
const Params = z.object({ paymentInitiationID: ownedIdParam("payment initiation") });
const PATH = "/v3/payment-initiations/{paymentInitiationID}";
const TaskResponse = dataOf(z.object({ taskID: z.string() }));

/** Registers the operations that approve, retry, reject and reverse an initiation. */
export function registerInitiationActions(app: OpenAPIHono<AppEnv>): void {
  registerSends(app);
  registerRejection(app);
  registerReversal(app);
}

function registerSends(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/approve`,
      operationId: "v3ApprovePaymentInitiation",
      summary: "Approve a payment initiation, so that its money is sent",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 202: json("The task that sends it", TaskResponse), ...errors(404) },
    },
    async ({ params, c }) => {
      const id = params.paymentInitiationID;
      const task = await approveInitiation(c.var.context, id);
      c.executionCtx.waitUntil(wakeMovements(c.var.context, id.connector));
      return { status: 202, body: { data: { taskID: encodeOwnedId(task) } } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/retry`,
      operationId: "v3RetryPaymentInitiation",
      summary: "Send a failed payment initiation again",
      description:
        "The provider gets the same reference as before, so that it moves the money once, even if it has done so already. " +
        `With ${ADJUSTMENTS_MAX} adjustments, an initiation is not sent again.`,
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 202: json("The task that sends it", TaskResponse), ...errors(404) },
    },
    async ({ params, c }) => {
      const id = params.paymentInitiationID;
      const task = await retryInitiation(c.var.context, id);
      c.executionCtx.waitUntil(wakeMovements(c.var.context, id.connector));
      return { status: 202, body: { data: { taskID: encodeOwnedId(task) } } };
    },
  );
}

function registerRejection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/reject`,
      operationId: "v3RejectPaymentInitiation",
      summary: "Reject a payment initiation that waits for its approval",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Rejected"), ...errors(404) },
    },
    async ({ params, c }) => {
      await rejectInitiation(c.var.context, params.paymentInitiationID);
      return { status: 204 };
    },
  );
}

function registerReversal(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/reverse`,
      operationId: "v3ReversePaymentInitiation",
      summary: "Bring back all or a part of the money that a payment initiation has moved",
      description:
        "The task of a reversal that is not allowed fails with the reason. A repeated reference gives the same reversal.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: ReversalRequest,
      responses: {
        202: json(
          "The reversal and its task",
          dataOf(z.object({ paymentInitiationReversalID: z.string(), taskID: z.string() })),
        ),
        ...errors(404),
      },
    },
    async ({ params, body, c }) => {
      const initiation = params.paymentInitiationID;
      const { id, task } = await reverseInitiation(c.var.context, { ...body, initiation });
      c.executionCtx.waitUntil(wakeMovements(c.var.context, initiation.connector));
      const data = {
        paymentInitiationReversalID: encodeOwnedId(id),
        taskID: encodeOwnedId(task),
      };
      return { status: 202, body: { data } };
    },
  );
}
