import { z } from "@hono/zod-openapi";
import {
  ConnectionResponse,
  LinkAttemptResponse,
  toConnectionView,
  toLinkAttemptView,
} from "./user-schemas.ts";
import { LIST, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { getLinkAttempt, listLinkAttempts } from "#modules/payments/users/link-attempts.ts";
import { listConnections } from "#modules/payments/users/list-connections.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const UserParams = z.object({ paymentServiceUserID: uuidParam("payment service user") });
const ConnectorParams = UserParams.extend({ connectorID: connectorIdParam() });
const userConnections = operations({
  path: "/v3/payment-service-users/{paymentServiceUserID}",
  tags: ["Payment service users"],
  scope: "payments",
  params: ConnectorParams,
});

const CONNECTION_FILTERS = "Filters: `connection_id`, `status`, `metadata[key]`.";

export const registerUserConnections = registration(
  userConnections.get("/connections", {
    operationId: "v3ListPaymentServiceUserConnections",
    summary: "List the connections of a user",
    description: CONNECTION_FILTERS,
    params: UserParams,
    ...LIST,
    answer: ok.page("A page of connections", ConnectionResponse, toConnectionView),
    errors: [404],
    handle: ({ params, query, body, context, c }) => {
      const wanted = toListQuery("connections", { query, body, c });
      return listConnections(context, { userId: params.paymentServiceUserID }, wanted);
    },
  }),
  userConnections.get("/connectors/{connectorID}/connections", {
    operationId: "v3ListPaymentServiceUserConnectionsFromConnectorID",
    summary: "List the connections of a user at a connector",
    description: CONNECTION_FILTERS,
    ...LIST,
    answer: ok.page("A page of connections", ConnectionResponse, toConnectionView),
    errors: [404],
    handle: ({ params, query, body, context, c }) => {
      const wanted = toListQuery("connections", { query, body, c });
      const of = { userId: params.paymentServiceUserID, connector: params.connectorID };
      return listConnections(context, of, wanted);
    },
  }),
  userConnections.get("/connectors/{connectorID}/link-attempts", {
    operationId: "v3ListPaymentServiceUserLinkAttemptsFromConnectorID",
    summary: "List the attempts to link a user",
    description: "Filters: `id`, `status`.",
    ...LIST,
    answer: ok.page("A page of attempts", LinkAttemptResponse, toLinkAttemptView),
    errors: [404],
    handle: ({ params, query, body, context, c }) => {
      const wanted = toListQuery("link-attempts", { query, body, c });
      const of = { userId: params.paymentServiceUserID, connector: params.connectorID };
      return listLinkAttempts(context, of, wanted);
    },
  }),
  userConnections.get("/connectors/{connectorID}/link-attempts/{attemptID}", {
    operationId: "v3GetPaymentServiceUserLinkAttemptFromConnectorID",
    summary: "Read an attempt to link a user",
    description: "The answer has no envelope.",
    params: ConnectorParams.extend({ attemptID: uuidParam("link attempt") }),
    answer: ok.plain("The attempt", LinkAttemptResponse, toLinkAttemptView),
    errors: [404],
    handle: ({ params, context }) =>
      getLinkAttempt(context, {
        userId: params.paymentServiceUserID,
        connector: params.connectorID,
        attemptId: params.attemptID,
      }),
  }),
);
