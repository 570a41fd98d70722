import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  ConfigRequest,
  ConfigResponse,
  ConnectorResponse,
  toConnectorView,
} from "./connector-schemas.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { CAPABILITIES } from "#modules/payments/core/enums.ts";
import { decodeConnectorId, encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { toProvider } from "#modules/payments/core/providers.ts";
import {
  CapabilitiesResponse,
  capabilitiesView,
  ConfigsResponse,
  configsView,
  etagOf,
} from "#modules/payments/http/catalogues.ts";
import { LIST, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { findPublicUrl } from "#modules/payments/http/public-url.ts";
import { TASK_BEGUN } from "#modules/payments/http/task-answers.ts";
import { readConfig, showConfig } from "#modules/payments/installs/config.ts";
import { listConnectors } from "#modules/payments/installs/list.ts";
import { getConnector, unknownConnector } from "#modules/payments/installs/store.ts";
import { CONFIG_BYTES_MAX, installConnector } from "#modules/payments/lifecycle/install.ts";
import { resetConnector, uninstallConnector } from "#modules/payments/lifecycle/remove.ts";
import { updateConnector } from "#modules/payments/lifecycle/update.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import {
  type AppEnv,
  empty,
  endpoint,
  json,
  ok,
  operations,
  registration,
} from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Connectors"];
const Params = z.object({ connectorID: connectorIdParam() });

function registerCapabilities(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/capabilities",
      operationId: "v3ListConnectorCapabilities",
      summary: "List the capabilities of each kind of connector",
      tags: TAGS,
      scope: "payments:read",
      headers: z.object({ "if-none-match": z.string().optional() }),
      responses: {
        200: json("The capabilities, by the kind", CapabilitiesResponse),
        304: empty("The client has them already"),
      },
    },
    ({ headers }) => {
      const body = capabilitiesView();
      const etag = etagOf(body);
      const caching = { etag, "cache-control": "public, max-age=3600, must-revalidate" };
      return headers["if-none-match"] === etag
        ? { status: 304, headers: caching }
        : { status: 200, body, headers: caching };
    },
  );
}

/**
 * Maps values of filters: clients send ids and any spelling of a kind, and the table holds the UUID of the id and one
 * spelling.
 */
export const CONNECTOR_FILTER_VALUES = {
  id: (value: unknown) =>
    typeof value === "string" ? (decodeConnectorId(value)?.reference ?? "") : value,
  provider: (value: unknown) => (typeof value === "string" ? toProvider(value) : value),
};

const connectors = operations({ path: "/v3/connectors", tags: TAGS, scope: "payments" });

export const registerConnectors = registration(
  connectors.get("/configs", {
    operationId: "v3ListConnectorConfigs",
    summary: "List the fields of the configurations of all kinds of connectors",
    answer: ok.plain("The fields, by the kind", ConfigsResponse),
    handle: ({ c }) => configsView(c.env),
  }),
  registerCapabilities,
  connectors.post("/install/{connector}", {
    operationId: "v3InstallConnector",
    summary: "Install a connector",
    description: "Polling begins at once.",
    params: z.object({ connector: z.string() }),
    body: ConfigRequest,
    bodyBytesMax: CONFIG_BYTES_MAX,
    answer: ok.accepted("Its id", z.string(), encodeConnectorId),
    handle: ({ params, body, context, c }) => {
      const provider = toProvider(params.connector);
      return installConnector(context, { provider, body, ...findPublicUrl(c) });
    },
  }),
  connectors.get("", {
    operationId: "v3ListConnectors",
    summary: "List connectors",
    description: "Filters: `id`, `name`, `provider`.",
    ...LIST,
    answer: ok.page("A page of connectors", ConnectorResponse),
    handle: async ({ query, body, context, c }) => {
      const request = { query, body, c, values: CONNECTOR_FILTER_VALUES };
      const page = await listConnectors(context, toListQuery("connectors", request));
      return mapPage(page, (item) => toConnectorView(item, context));
    },
  }),
  connectors.get("/{connectorID}/config", {
    operationId: "v3GetConnectorConfig",
    summary: "Read the configuration of a connector",
    description: "Clients that may only read get masks in place of secrets.",
    params: Params,
    answer: ok.data("The configuration", ConfigResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const connector = await getConnector(context, params.connectorID);
      return showConfig(connector, await readConfig(context, connector), context);
    },
  }),
  connectors.patch("/{connectorID}/config", {
    operationId: "v3UpdateConnectorConfig",
    summary: "Replace the configuration of a connector",
    description:
      "Optional fields that are left out get their defaults. Schedules that were paused go on.",
    params: Params,
    body: ConfigRequest,
    bodyBytesMax: CONFIG_BYTES_MAX,
    answer: ok.empty("Replaced"),
    errors: [404],
    handle: ({ params, body, context }) =>
      updateConnector(context, { id: params.connectorID, body }),
  }),
  connectors.get("/{connectorID}/capabilities", {
    operationId: "v3GetConnectorCapabilities",
    summary: "List the capabilities of a connector",
    params: Params,
    answer: ok.list("The capabilities", z.enum(CAPABILITIES)),
    errors: [404],
    handle: async ({ params, context }) => {
      const { id } = await getConnector(context, params.connectorID);
      const kind = kindOf(id.provider);
      if (kind === undefined) throw unknownConnector();
      return [...kind.capabilities];
    },
  }),
  connectors.delete("/{connectorID}", {
    operationId: "v3UninstallConnector",
    summary: "Uninstall a connector",
    description:
      "A task deletes everything that belongs to it. A repeated call answers the same task.",
    params: Params,
    answer: TASK_BEGUN,
    errors: [404],
    handle: ({ params, context }) => uninstallConnector(context, params.connectorID),
  }),
  connectors.post("/{connectorID}/reset", {
    operationId: "v3ResetConnector",
    summary: "Reset a connector",
    description:
      "A task deletes everything that belongs to it, and installs it again with the same name and configuration and a new id, which is the `createdObjectID` of the task.",
    params: Params,
    answer: ok.accepted("The id of the task", z.string(), ({ id }: Task) => encodeOwnedId(id)),
    errors: [404],
    handle: ({ params, context }) => resetConnector(context, params.connectorID),
  }),
);
