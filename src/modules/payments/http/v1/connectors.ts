import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import {
  isLegacyProvider,
  toLegacyProvider,
  toProvider,
} from "#modules/payments/core/providers.ts";
import { ConfigsResponse, configsView } from "#modules/payments/http/catalogues.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { findPublicUrl } from "#modules/payments/http/public-url.ts";
import { ConfigRequest, ConfigResponse } from "#modules/payments/http/v3/connector-schemas.ts";
import { readConfig, showConfig } from "#modules/payments/installs/config.ts";
import { listAllConnectors } from "#modules/payments/installs/list.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import { CONFIG_BYTES_MAX, installConnector } from "#modules/payments/lifecycle/install.ts";
import { resetConnector, uninstallConnector } from "#modules/payments/lifecycle/remove.ts";
import { updateConnector } from "#modules/payments/lifecycle/update.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Payments API v1"];
/** The kind in the path need not be that of the id. */
const Params = z.object({ connector: z.string(), connectorId: connectorIdParam() });

const ListedResponse = z
  .object({
    provider: z.string(),
    connectorID: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    scheduledForDeletion: z.boolean(),
  })
  .openapi("PaymentsV1Connector");

export function registerConnectorsV1(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerInstallation(app);
  registerConfig(app);
  registerRemoval(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/connectors",
      operationId: "listAllConnectors",
      summary: "List the connectors of the kinds that clients of this version know",
      tags: TAGS,
      scope: "payments:read",
      responses: { 200: json("All of them, oldest first", dataOf(z.array(ListedResponse))) },
    },
    async ({ c }) => {
      const connectors = await listAllConnectors(c.var.context);
      const data = connectors
        .filter(({ id }) => isLegacyProvider(id.provider))
        .map(({ id, name, deletedAt }) => ({
          provider: toLegacyProvider(id.provider),
          connectorID: encodeConnectorId(id),
          name,
          enabled: true,
          scheduledForDeletion: deletedAt !== undefined,
        }));
      return { status: 200, body: { data } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/connectors/configs",
      operationId: "listConfigsAvailableConnectors",
      summary: "List the fields of the configurations of all kinds of connectors",
      tags: TAGS,
      scope: "payments:read",
      responses: { 200: json("The fields, by the kind", ConfigsResponse) },
    },
    ({ c }) => ({ status: 200, body: configsView(c.env) }),
  );
}

function registerInstallation(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/connectors/{connector}",
      operationId: "installConnector",
      summary: "Install a connector",
      tags: TAGS,
      scope: "payments:write",
      params: z.object({ connector: z.string() }),
      body: ConfigRequest,
      bodyBytesMax: CONFIG_BYTES_MAX,
      responses: { 201: json("Its id", dataOf(z.object({ connectorID: z.string() }))) },
    },
    async ({ params, body, c }) => {
      const provider = toProvider(params.connector);
      const id = await installConnector(c.var.context, { provider, body, ...findPublicUrl(c) });
      return { status: 201, body: { data: { connectorID: encodeConnectorId(id) } } };
    },
  );
}

function registerConfig(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/connectors/{connector}/{connectorId}/config",
      operationId: "readConnectorConfigV1",
      summary: "Read the configuration of a connector",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The configuration", dataOf(ConfigResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const { context } = c.var;
      const connector = await getConnector(context, params.connectorId);
      const config = showConfig(connector, await readConfig(context, connector), context);
      const required = kindOf(connector.id.provider)?.legacyConfig;
      return { status: 200, body: { data: { ...required, ...config } } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/connectors/{connector}/{connectorId}/config",
      operationId: "updateConnectorConfigV1",
      summary: "Replace the configuration of a connector",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: ConfigRequest,
      bodyBytesMax: CONFIG_BYTES_MAX,
      responses: { 204: empty("Replaced"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      await updateConnector(c.var.context, { id: params.connectorId, body });
      return { status: 204 };
    },
  );
}

function registerRemoval(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "delete",
      path: "/connectors/{connector}/{connectorId}",
      operationId: "uninstallConnectorV1",
      summary: "Uninstall a connector",
      description: "Everything that belongs to it is deleted after the answer.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Begun"), ...errors(404) },
    },
    async ({ params, c }) => {
      await uninstallConnector(c.var.context, params.connectorId);
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/connectors/{connector}/{connectorId}/reset",
      operationId: "resetConnectorV1",
      summary: "Reset a connector",
      description: "It is installed again under a new id, which the list of connectors shows.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Begun"), ...errors(404) },
    },
    async ({ params, c }) => {
      await resetConnector(c.var.context, params.connectorId);
      return { status: 204 };
    },
  );
}
