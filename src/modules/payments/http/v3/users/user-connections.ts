import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  ConnectionResponse,
  LinkAttemptResponse,
  toConnectionView,
  toLinkAttemptView,
} from "./user-schemas.ts";
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { getLinkAttempt, listLinkAttempts } from "#modules/payments/users/link-attempts.ts";
import { listConnections } from "#modules/payments/users/list-connections.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Payment service users"];
const USER = "/v3/payment-service-users/{paymentServiceUserID}";
const UserParams = z.object({ paymentServiceUserID: uuidParam("payment service user") });
const ConnectorParams = UserParams.extend({ connectorID: connectorIdParam() });

export function registerUserConnections(app: OpenAPIHono<AppEnv>): void {
  registerConnections(app);
  registerLinkAttempts(app);
}

const CONNECTION_FILTERS = "Filters: `connection_id`, `status`, `metadata[key]`.";

function registerConnections(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${USER}/connections`,
      operationId: "v3ListPaymentServiceUserConnections",
      summary: "List the connections of a user",
      description: CONNECTION_FILTERS,
      tags: TAGS,
      scope: "payments:read",
      params: UserParams,
      query: ListQuery,
      body: FilterBody,
      responses: {
        200: json("A page of connections", cursorOf(ConnectionResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, c }) => {
      const wanted = toListQuery("connections", {
        query,
        body,
        settings: deploymentOf(c).settings,
      });
      const of = { userId: params.paymentServiceUserID };
      const page = await listConnections(c.var.context, of, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toConnectionView)) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: `${USER}/connectors/{connectorID}/connections`,
      operationId: "v3ListPaymentServiceUserConnectionsFromConnectorID",
      summary: "List the connections of a user at a connector",
      description: CONNECTION_FILTERS,
      tags: TAGS,
      scope: "payments:read",
      params: ConnectorParams,
      query: ListQuery,
      body: FilterBody,
      responses: {
        200: json("A page of connections", cursorOf(ConnectionResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, c }) => {
      const wanted = toListQuery("connections", {
        query,
        body,
        settings: deploymentOf(c).settings,
      });
      const of = { userId: params.paymentServiceUserID, connector: params.connectorID };
      const page = await listConnections(c.var.context, of, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toConnectionView)) };
    },
  );
}

function registerLinkAttempts(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${USER}/connectors/{connectorID}/link-attempts`,
      operationId: "v3ListPaymentServiceUserLinkAttemptsFromConnectorID",
      summary: "List the attempts to link a user",
      description: "Filters: `id`, `status`.",
      tags: TAGS,
      scope: "payments:read",
      params: ConnectorParams,
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of attempts", cursorOf(LinkAttemptResponse)), ...errors(404) },
    },
    async ({ params, query, body, c }) => {
      const wanted = toListQuery("link-attempts", {
        query,
        body,
        settings: deploymentOf(c).settings,
      });
      const of = { userId: params.paymentServiceUserID, connector: params.connectorID };
      const page = await listLinkAttempts(c.var.context, of, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toLinkAttemptView)) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: `${USER}/connectors/{connectorID}/link-attempts/{attemptID}`,
      operationId: "v3GetPaymentServiceUserLinkAttemptFromConnectorID",
      summary: "Read an attempt to link a user",
      description: "The answer has no envelope.",
      tags: TAGS,
      scope: "payments:read",
      params: ConnectorParams.extend({ attemptID: uuidParam("link attempt") }),
      responses: { 200: json("The attempt", LinkAttemptResponse), ...errors(404) },
    },
    async ({ params, c }) => {
      const attempt = await getLinkAttempt(c.var.context, {
        userId: params.paymentServiceUserID,
        connector: params.connectorID,
        attemptId: params.attemptID,
      });
      return { status: 200, body: toLinkAttemptView(attempt) };
    },
  );
}
