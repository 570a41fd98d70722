import { z } from "@hono/zod-openapi";
import { connectorIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { ForwardRequest, TASK_BEGUN } from "#modules/payments/http/task-answers.ts";
import {
  deleteConnection,
  deleteUser,
  deleteUserFromConnector,
} from "#modules/payments/users/delete.ts";
import { forwardBankAccountOfUser } from "#modules/payments/users/forward-bank-account.ts";
import { operations, registration } from "#platform/http/index.ts";

const Params = z.object({ paymentServiceUserID: uuidParam("payment service user") });
const userTasks = operations({
  path: "/v3/payment-service-users/{paymentServiceUserID}",
  tags: ["Payment service users"],
  scope: "payments",
  params: Params,
});
const ConnectorParams = Params.extend({ connectorID: connectorIdParam() });

/** Registers the operations that continue after the answer, in a task. */
export const registerUserTasks = registration(
  userTasks.post("/bank-accounts/{bankAccountID}/forward", {
    operationId: "v3ForwardPaymentServiceUserBankAccount",
    summary: "Forward a bank account with a user as its owner",
    description: "The user's details are first added to the metadata of the bank account.",
    params: Params.extend({ bankAccountID: uuidParam("bank account") }),
    body: ForwardRequest,
    answer: TASK_BEGUN,
    errors: [404],
    handle: ({ params, body, context }) =>
      forwardBankAccountOfUser(context, {
        userId: params.paymentServiceUserID,
        bankAccountId: params.bankAccountID,
        connectorId: body.connectorID,
      }),
  }),
  userTasks.delete("", {
    operationId: "v3DeletePaymentServiceUser",
    summary: "Delete a payment service user",
    description: "The user is deleted at every connector first.",
    answer: TASK_BEGUN,
    errors: [404],
    handle: ({ params, context }) => deleteUser(context, params.paymentServiceUserID),
  }),
  userTasks.delete("/connectors/{connectorID}", {
    operationId: "v3DeletePaymentServiceUserConnector",
    summary: "Delete a user at a connector",
    description: "The task fails if the connector does not know the user.",
    params: ConnectorParams,
    answer: TASK_BEGUN,
    handle: ({ params, context }) => {
      const { paymentServiceUserID: userId, connectorID: connectorId } = params;
      return deleteUserFromConnector(context, { userId, connectorId });
    },
  }),
  userTasks.delete("/connectors/{connectorID}/connections/{connectionID}", {
    operationId: "v3DeletePaymentServiceUserConnectionFromConnectorID",
    summary: "Delete a connection of a user",
    description: "The task fails if there is no such connection.",
    params: ConnectorParams.extend({ connectionID: z.string() }),
    answer: TASK_BEGUN,
    handle: ({ params, context }) =>
      deleteConnection(context, {
        userId: params.paymentServiceUserID,
        connectorId: params.connectorID,
        connectionId: params.connectionID,
      }),
  }),
);
