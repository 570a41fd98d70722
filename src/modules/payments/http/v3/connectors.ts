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
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { findPublicUrl } from "#modules/payments/http/public-url.ts";
import { readConfig, showConfig } from "#modules/payments/installs/config.ts";
import { listConnectors } from "#modules/payments/installs/list.ts";
import { getConnector, unknownConnector } from "#modules/payments/installs/store.ts";
import { CONFIG_BYTES_MAX, installConnector } from "#modules/payments/lifecycle/install.ts";
import { resetConnector, uninstallConnector } from "#modules/payments/lifecycle/remove.ts";
import { updateConnector } from "#modules/payments/lifecycle/update.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Connectors"];
const Params = z.object({ connectorID: connectorIdParam() });

export function registerConnectors(app: OpenAPIHono<AppEnv>): void {
  registerCatalogues(app);
  registerInstallation(app);
  registerList(app);
  registerConfig(app);
  registerCapabilities(app);
  registerRemoval(app);
}

function registerCatalogues(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/configs",
      operationId: "v3ListConnectorConfigs",
      summary: "List the fields of the configurations of all kinds of connectors",
      tags: TAGS,
      scope: "payments:read",
      responses: { 200: json("The fields, by the kind", ConfigsResponse) },
    },
    ({ c }) => ({ status: 200, body: configsView(c.env) }),
  );
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

function registerInstallation(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/connectors/install/{connector}",
      operationId: "v3InstallConnector",
      summary: "Install a connector",
      description: "Polling begins at once.",
      tags: TAGS,
      scope: "payments:write",
      params: z.object({ connector: z.string() }),
      body: ConfigRequest,
      bodyBytesMax: CONFIG_BYTES_MAX,
      responses: { 202: json("Its id", dataOf(z.string())) },
    },
    async ({ params, body, c }) => {
      const provider = toProvider(params.connector);
      const id = await installConnector(c.var.context, { provider, body, ...findPublicUrl(c) });
      return { status: 202, body: { data: encodeConnectorId(id) } };
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

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors",
      operationId: "v3ListConnectors",
      summary: "List connectors",
      description: "Filters: `id`, `name`, `provider`.",
      tags: TAGS,
      scope: "payments:read",
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of connectors", cursorOf(ConnectorResponse)) },
    },
    async ({ query, body, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const request = { query, body, settings, values: CONNECTOR_FILTER_VALUES };
      const page = await listConnectors(context, toListQuery("connectors", request));
      const view = mapPage(page, (item) => toConnectorView(item, context));
      return { status: 200, body: toCursorView(view) };
    },
  );
}

function registerConfig(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/{connectorID}/config",
      operationId: "v3GetConnectorConfig",
      summary: "Read the configuration of a connector",
      description: "Clients that may only read get masks in place of secrets.",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The configuration", dataOf(ConfigResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const { context } = c.var;
      const connector = await getConnector(context, params.connectorID);
      const config = showConfig(connector, await readConfig(context, connector), context);
      return { status: 200, body: { data: config } };
    },
  );
  endpoint(
    app,
    {
      method: "patch",
      path: "/v3/connectors/{connectorID}/config",
      operationId: "v3UpdateConnectorConfig",
      summary: "Replace the configuration of a connector",
      description:
        "Optional fields that are left out get their defaults. Schedules that were paused go on.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: ConfigRequest,
      bodyBytesMax: CONFIG_BYTES_MAX,
      responses: { 204: empty("Replaced"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      await updateConnector(c.var.context, { id: params.connectorID, body });
      return { status: 204 };
    },
  );
}

function registerCapabilities(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/{connectorID}/capabilities",
      operationId: "v3GetConnectorCapabilities",
      summary: "List the capabilities of a connector",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: {
        200: json("The capabilities", dataOf(z.array(z.enum(CAPABILITIES)))),
        ...errors(404),
      },
    },
    async ({ params, c }) => {
      const { id } = await getConnector(c.var.context, params.connectorID);
      const kind = kindOf(id.provider);
      if (kind === undefined) throw unknownConnector();
      return { status: 200, body: { data: [...kind.capabilities] } };
    },
  );
}

function registerRemoval(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "delete",
      path: "/v3/connectors/{connectorID}",
      operationId: "v3UninstallConnector",
      summary: "Uninstall a connector",
      description:
        "A task deletes everything that belongs to it. A repeated call answers the same task.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: {
        202: json("The task", dataOf(z.object({ taskID: z.string() }))),
        ...errors(404),
      },
    },
    async ({ params, c }) => {
      const { id } = await uninstallConnector(c.var.context, params.connectorID);
      return { status: 202, body: { data: { taskID: encodeOwnedId(id) } } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/connectors/{connectorID}/reset",
      operationId: "v3ResetConnector",
      summary: "Reset a connector",
      description:
        "A task deletes everything that belongs to it, and installs it again with the same name and configuration and a new id, which is the `createdObjectID` of the task.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 202: json("The id of the task", dataOf(z.string())), ...errors(404) },
    },
    async ({ params, c }) => {
      const { id } = await resetConnector(c.var.context, params.connectorID);
      return { status: 202, body: { data: encodeOwnedId(id) } };
    },
  );
}
