import { z } from "@hono/zod-openapi";
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
import { ok, operations, registration } from "#platform/http/index.ts";

const connectors = operations({
  path: "/connectors",
  tags: ["Payments API v1"],
  scope: "payments",
});
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

export const registerConnectorsV1 = registration(
  connectors.get("", {
    operationId: "listAllConnectors",
    summary: "List the connectors of the kinds that clients of this version know",
    answer: ok.list("All of them, oldest first", ListedResponse),
    handle: async ({ context }) => {
      const connectors = await listAllConnectors(context);
      return connectors
        .filter(({ id }) => isLegacyProvider(id.provider))
        .map(({ id, name, deletedAt }) => ({
          provider: toLegacyProvider(id.provider),
          connectorID: encodeConnectorId(id),
          name,
          enabled: true,
          scheduledForDeletion: deletedAt !== undefined,
        }));
    },
  }),
  connectors.get("/configs", {
    operationId: "listConfigsAvailableConnectors",
    summary: "List the fields of the configurations of all kinds of connectors",
    answer: ok.plain("The fields, by the kind", ConfigsResponse),
    handle: ({ c }) => configsView(c.env),
  }),
  connectors.post("/{connector}", {
    operationId: "installConnector",
    summary: "Install a connector",
    params: z.object({ connector: z.string() }),
    body: ConfigRequest,
    bodyBytesMax: CONFIG_BYTES_MAX,
    answer: ok.created("Its id", z.object({ connectorID: z.string() })),
    handle: async ({ params, body, context, c }) => {
      const provider = toProvider(params.connector);
      const id = await installConnector(context, { provider, body, ...findPublicUrl(c) });
      return { connectorID: encodeConnectorId(id) };
    },
  }),
  connectors.get("/{connector}/{connectorId}/config", {
    operationId: "readConnectorConfigV1",
    summary: "Read the configuration of a connector",
    params: Params,
    answer: ok.data("The configuration", ConfigResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const connector = await getConnector(context, params.connectorId);
      const config = showConfig(connector, await readConfig(context, connector), context);
      const required = kindOf(connector.id.provider)?.legacyConfig;
      return { ...required, ...config };
    },
  }),
  connectors.post("/{connector}/{connectorId}/config", {
    operationId: "updateConnectorConfigV1",
    summary: "Replace the configuration of a connector",
    params: Params,
    body: ConfigRequest,
    bodyBytesMax: CONFIG_BYTES_MAX,
    answer: ok.empty("Replaced"),
    errors: [404],
    handle: ({ params, body, context }) =>
      updateConnector(context, { id: params.connectorId, body }),
  }),
  connectors.delete("/{connector}/{connectorId}", {
    operationId: "uninstallConnectorV1",
    summary: "Uninstall a connector",
    description: "Everything that belongs to it is deleted after the answer.",
    params: Params,
    answer: ok.empty("Begun"),
    errors: [404],
    handle: ({ params, context }) => uninstallConnector(context, params.connectorId),
  }),
  connectors.post("/{connector}/{connectorId}/reset", {
    operationId: "resetConnectorV1",
    summary: "Reset a connector",
    description: "It is installed again under a new id, which the list of connectors shows.",
    params: Params,
    answer: ok.empty("Begun"),
    errors: [404],
    handle: ({ params, context }) => resetConnector(context, params.connectorId),
  }),
);
