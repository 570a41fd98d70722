import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { registerDeliveries } from "./deliveries.ts";
import { assertReadsEvents } from "./reach.ts";
import {
  ConfigParams,
  ConfigRequest,
  ConfigResponse,
  ConfigsQuery,
  ConfigsResponse,
  ConfigUpdateRequest,
  InfoResponse,
  SecretRequest,
  TestResponse,
} from "./schemas.ts";
import { toConfigView, toListedView, toTestView } from "./views.ts";
import {
  ALL_TESTS_PER_MINUTE_MAX,
  TESTS_PER_MINUTE_MAX,
} from "#modules/webhooks/configs/test-limit.ts";
import { OVERLAP_MS, PREVIOUS_SECRETS_MAX } from "#modules/webhooks/core/secrets.ts";
import { WebhookService } from "#modules/webhooks/services/webhook-service.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";

/** The version of the API, which clients compare. */
export const API_VERSION = "v2.3.0";

export function webhookRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerProbes(app);
  registerList(app);
  registerWrites(app);
  registerSwitch(app, { verb: "activate", active: true, summary: "Activate a webhook config" });
  registerSwitch(app, {
    verb: "deactivate",
    active: false,
    summary: "Deactivate a webhook config and cancel its waiting deliveries",
  });
  registerSecretChange(app);
  registerTest(app);
  registerDeliveries(app);
  return app;
}

const TAGS = ["Webhooks"];

/** A sentence of the API document about the secret that is replaced. */
const OVERLAP = `For ${OVERLAP_MS / 3_600_000} hours the old secret signs as well: each request then has a signature by every secret that is valid, newest first, so that your endpoint can change to the new one at any time in between. Of several changes in that time, the last ${PREVIOUS_SECRETS_MAX} replaced secrets sign. The same secret again changes nothing. With \`immediate\`, only the new one signs from now on.`;

function registerProbes(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/_info",
      operationId: "getWebhooksInfo",
      summary: "Show the version of the webhooks API",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("The version", InfoResponse) },
    },
    () => ({ status: 200, body: { version: API_VERSION } }),
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/_healthcheck",
      operationId: "getWebhooksHealth",
      summary: "Check that the webhooks API answers",
      tags: ["Service"],
      scope: "public",
      responses: { 200: empty("It answers") },
    },
    () => ({ status: 200 }),
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/configs",
      operationId: "getManyConfigs",
      summary: "List webhook configs, last changed first",
      tags: TAGS,
      scope: "webhooks:read",
      query: ConfigsQuery,
      responses: { 200: json("All configs that match", ConfigsResponse) },
    },
    async ({ query, c }) => {
      const configs = await WebhookService.from(c.var.context).listConfigs(query);
      const masks = deploymentOf(c).isOpenToAll;
      const data = configs.map((config) => toListedView(config, masks));
      return { status: 200, body: { cursor: { hasMore: false, data } } };
    },
  );
}

function registerWrites(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/configs",
      operationId: "insertConfig",
      summary: "Create a webhook config, which sends events to an endpoint",
      description:
        "Whoever creates, replaces or activates a config, or changes its secret, may read the modules of its event types: `ledger.committed_transactions` takes `ledger:read`, too. A client that acts for itself needs no token of these scopes, if it may ask for one.",
      tags: TAGS,
      scope: "webhooks:write",
      work: "creation",
      body: ConfigRequest,
      responses: { 200: json("The new config, active", ConfigResponse) },
    },
    async ({ body, c }) => {
      await assertReadsEvents(c, body.eventTypes);
      const config = await WebhookService.from(c.var.context).createConfig(toInput(body));
      return { status: 200, body: { data: toConfigView(config) } };
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: "/configs/{id}",
      operationId: "updateConfig",
      summary: "Replace a webhook config",
      description: `Without a secret in the body, the config gets a new one. ${OVERLAP}`,
      tags: TAGS,
      scope: "webhooks:write",
      params: ConfigParams,
      body: ConfigUpdateRequest,
      responses: { 200: empty("Replaced"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const update = { ...toInput(body), immediate: body.immediate };
      const service = WebhookService.from(c.var.context);
      await assertReadsEvents(c, [...body.eventTypes, ...(await service.eventTypesOf(params.id))]);
      await service.updateConfig(params.id, update);
      return { status: 200 };
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/configs/{id}",
      operationId: "deleteConfig",
      summary: "Delete a webhook config and cancel its waiting deliveries",
      tags: TAGS,
      scope: "webhooks:write",
      params: ConfigParams,
      responses: { 200: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await WebhookService.from(c.var.context).deleteConfig(params.id);
      return { status: 200 };
    },
  );
}

function registerSwitch(
  app: OpenAPIHono<AppEnv>,
  { verb, active, summary }: { verb: string; active: boolean; summary: string },
): void {
  endpoint(
    app,
    {
      method: "put",
      path: `/configs/{id}/${verb}`,
      operationId: `${verb}Config`,
      summary,
      tags: TAGS,
      scope: "webhooks:write",
      params: ConfigParams,
      responses: { 200: json("The config", ConfigResponse), ...errors(404) },
    },
    async ({ params, c }) => {
      const service = WebhookService.from(c.var.context);
      if (active) await assertReadsEvents(c, await service.eventTypesOf(params.id));
      const config = await service.setActive(params.id, active);
      return { status: 200, body: { data: toConfigView(config) } };
    },
  );
}

function registerSecretChange(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/configs/{id}/secret/change",
      operationId: "changeConfigSecret",
      summary: "Change the signing secret of a webhook config",
      description: OVERLAP,
      tags: TAGS,
      scope: "webhooks:write",
      params: ConfigParams,
      body: SecretRequest,
      responses: {
        200: json("The config with its new secret", ConfigResponse),
        ...errors(404),
      },
    },
    async ({ params, body, c }) => {
      const wanted = { secret: body?.secret, immediate: body?.immediate ?? false };
      const service = WebhookService.from(c.var.context);
      await assertReadsEvents(c, await service.eventTypesOf(params.id));
      const config = await service.changeSecret(params.id, wanted);
      return { status: 200, body: { data: toConfigView(config) } };
    },
  );
}

function registerTest(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/configs/{id}/test",
      operationId: "testConfig",
      summary: "Send a signed test request to the endpoint of a webhook config",
      description: `At most ${TESTS_PER_MINUTE_MAX} times a minute for a config, and ${ALL_TESTS_PER_MINUTE_MAX} times for all of them.`,
      tags: TAGS,
      scope: "webhooks:read",
      params: ConfigParams,
      responses: { 200: json("What the endpoint answered", TestResponse), ...errors(404, 429) },
    },
    async ({ params, c }) => {
      const test = await WebhookService.from(c.var.context).testConfig(params.id);
      return { status: 200, body: { data: toTestView(test) } };
    },
  );
}

const toInput = ({ endpoint, secret, eventTypes, name }: z.output<typeof ConfigRequest>) => ({
  endpoint,
  secret,
  eventTypes,
  name,
});
