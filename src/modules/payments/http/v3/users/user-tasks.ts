import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { connectorIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import {
  ForwardRequest,
  TaskIdResponse,
  toTaskIdView,
} from "#modules/payments/http/task-answers.ts";
import {
  deleteConnection,
  deleteUser,
  deleteUserFromConnector,
} from "#modules/payments/users/delete.ts";
import { forwardBankAccountOfUser } from "#modules/payments/users/forward-bank-account.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";

const TAGS = ["Payment service users"];
const USER = "/v3/payment-service-users/{paymentServiceUserID}";
const Params = z.object({ paymentServiceUserID: uuidParam("payment service user") });
const ConnectorParams = Params.extend({ connectorID: connectorIdParam() });

/** Registers the operations that continue after the answer, in a task. */
export function registerUserTasks(app: OpenAPIHono<AppEnv>): void {
  registerBankAccountForward(app);
  registerUserDeletion(app);
  registerDeletionsAtConnector(app);
}

function registerBankAccountForward(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${USER}/bank-accounts/{bankAccountID}/forward`,
      operationId: "v3ForwardPaymentServiceUserBankAccount",
      summary: "Forward a bank account with a user as its owner",
      description: "The user's details are first added to the metadata of the bank account.",
      tags: TAGS,
      scope: "payments:write",
      params: Params.extend({ bankAccountID: uuidParam("bank account") }),
      body: ForwardRequest,
      responses: { 202: json("The task", TaskIdResponse), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const task = await forwardBankAccountOfUser(c.var.context, {
        userId: params.paymentServiceUserID,
        bankAccountId: params.bankAccountID,
        connectorId: body.connectorID,
      });
      return { status: 202, body: toTaskIdView(task) };
    },
  );
}

function registerUserDeletion(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "delete",
      path: USER,
      operationId: "v3DeletePaymentServiceUser",
      summary: "Delete a payment service user",
      description: "The user is deleted at every connector first.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 202: json("The task", TaskIdResponse), ...errors(404) },
    },
    async ({ params, c }) => {
      const task = await deleteUser(c.var.context, params.paymentServiceUserID);
      return { status: 202, body: toTaskIdView(task) };
    },
  );
}

function registerDeletionsAtConnector(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "delete",
      path: `${USER}/connectors/{connectorID}`,
      operationId: "v3DeletePaymentServiceUserConnector",
      summary: "Delete a user at a connector",
      description: "The task fails if the connector does not know the user.",
      tags: TAGS,
      scope: "payments:write",
      params: ConnectorParams,
      responses: { 202: json("The task", TaskIdResponse) },
    },
    async ({ params, c }) => {
      const { paymentServiceUserID: userId, connectorID: connectorId } = params;
      const task = await deleteUserFromConnector(c.var.context, { userId, connectorId });
      return { status: 202, body: toTaskIdView(task) };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: `${USER}/connectors/{connectorID}/connections/{connectionID}`,
      operationId: "v3DeletePaymentServiceUserConnectionFromConnectorID",
      summary: "Delete a connection of a user",
      description: "The task fails if there is no such connection.",
      tags: TAGS,
      scope: "payments:write",
      params: ConnectorParams.extend({ connectionID: z.string() }),
      responses: { 202: json("The task", TaskIdResponse) },
    },
    async ({ params, c }) => {
      const task = await deleteConnection(c.var.context, {
        userId: params.paymentServiceUserID,
        connectorId: params.connectorID,
        connectionId: params.connectionID,
      });
      return { status: 202, body: toTaskIdView(task) };
    },
  );
}
