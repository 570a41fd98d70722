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
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import { OVERLAP_MS, PREVIOUS_SECRETS_MAX } from "#modules/webhooks/core/secrets.ts";
import { type TestCall, WebhookService } from "#modules/webhooks/services/webhook-service.ts";
import {
  type AppEnv,
  deploymentOf,
  healthOperation,
  infoOperation,
  ok,
  operations,
  registration,
  type Registration,
} from "#platform/http/index.ts";

/** The version of the API, which clients compare. */
export const API_VERSION = "v2.3.0";

/** A sentence of the API document about the secret that is replaced. */
const OVERLAP = `For ${OVERLAP_MS / 3_600_000} hours the old secret signs as well: each request then has a signature by every secret that is valid, newest first, so that your endpoint can change to the new one at any time in between. Of several changes in that time, the last ${PREVIOUS_SECRETS_MAX} replaced secrets sign. The same secret again changes nothing. With \`immediate\`, only the new one signs from now on.`;

const toInput = ({ endpoint, secret, eventTypes, name }: z.output<typeof ConfigRequest>) => ({
  endpoint,
  secret,
  eventTypes,
  name,
});

/** A config as the answer. */
const shown = (description: string) =>
  ok.plain(description, ConfigResponse, (config: WebhookConfig) => ({
    data: toConfigView(config),
  }));

const registerService = registration(
  infoOperation({
    operationId: "getWebhooksInfo",
    summary: "Show the version of the webhooks API",
    schema: InfoResponse,
    info: { version: API_VERSION },
  }),
  healthOperation({
    operationId: "getWebhooksHealth",
    summary: "Check that the webhooks API answers",
    answer: ok.empty("It answers", 200),
    check: () => undefined,
  }),
);

const configs = operations({ path: "/configs", tags: ["Webhooks"], scope: "webhooks" });

function switchConfig({
  verb,
  active,
  summary,
}: {
  readonly verb: string;
  readonly active: boolean;
  readonly summary: string;
}): Registration {
  return configs.put(`/{id}/${verb}`, {
    operationId: `${verb}Config`,
    summary,
    params: ConfigParams,
    answer: shown("The config"),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const service = WebhookService.from(context);
      if (active) await assertReadsEvents(c, await service.eventTypesOf(params.id));
      return service.setActive(params.id, active);
    },
  });
}

const registerWebhooks = registration(
  registerService,
  configs.get("", {
    operationId: "getManyConfigs",
    summary: "List webhook configs, last changed first",
    query: ConfigsQuery,
    answer: ok.plain("All configs that match", ConfigsResponse),
    handle: async ({ query, context, c }) => {
      const configs = await WebhookService.from(context).listConfigs(query);
      const masks = deploymentOf(c).isOpenToAll;
      const data = configs.map((config) => toListedView(config, masks));
      return { cursor: { hasMore: false, data } };
    },
  }),
  configs.post("", {
    operationId: "insertConfig",
    summary: "Create a webhook config, which sends events to an endpoint",
    description:
      "Whoever creates, replaces or activates a config, or changes its secret, may read the modules of its event types: `ledger.committed_transactions` takes `ledger:read`, too. A client that acts for itself needs no token of these scopes, if it may ask for one.",
    work: "creation",
    body: ConfigRequest,
    answer: shown("The new config, active"),
    handle: async ({ body, context, c }) => {
      await assertReadsEvents(c, body.eventTypes);
      return WebhookService.from(context).createConfig(toInput(body));
    },
  }),
  configs.put("/{id}", {
    operationId: "updateConfig",
    summary: "Replace a webhook config",
    description: `Without a secret in the body, the config gets a new one. ${OVERLAP}`,
    params: ConfigParams,
    body: ConfigUpdateRequest,
    answer: ok.empty("Replaced", 200),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const update = { ...toInput(body), immediate: body.immediate };
      const service = WebhookService.from(context);
      await assertReadsEvents(c, [...body.eventTypes, ...(await service.eventTypesOf(params.id))]);
      await service.updateConfig(params.id, update);
    },
  }),
  configs.delete("/{id}", {
    operationId: "deleteConfig",
    summary: "Delete a webhook config and cancel its waiting deliveries",
    params: ConfigParams,
    answer: ok.empty("Deleted", 200),
    errors: [404],
    handle: ({ params, context }) => WebhookService.from(context).deleteConfig(params.id),
  }),
  switchConfig({ verb: "activate", active: true, summary: "Activate a webhook config" }),
  switchConfig({
    verb: "deactivate",
    active: false,
    summary: "Deactivate a webhook config and cancel its waiting deliveries",
  }),
  configs.put("/{id}/secret/change", {
    operationId: "changeConfigSecret",
    summary: "Change the signing secret of a webhook config",
    description: OVERLAP,
    params: ConfigParams,
    body: SecretRequest,
    answer: shown("The config with its new secret"),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const wanted = { secret: body?.secret, immediate: body?.immediate ?? false };
      const service = WebhookService.from(context);
      await assertReadsEvents(c, await service.eventTypesOf(params.id));
      return service.changeSecret(params.id, wanted);
    },
  }),
  configs.get("/{id}/test", {
    operationId: "testConfig",
    summary: "Send a signed test request to the endpoint of a webhook config",
    description: `At most ${TESTS_PER_MINUTE_MAX} times a minute for a config, and ${ALL_TESTS_PER_MINUTE_MAX} times for all of them.`,
    params: ConfigParams,
    answer: ok.plain("What the endpoint answered", TestResponse, (test: TestCall) => ({
      data: toTestView(test),
    })),
    errors: [404, 429],
    handle: ({ params, context }) => WebhookService.from(context).testConfig(params.id),
  }),
  registerDeliveries,
);

export function webhookRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerWebhooks(app);
  return app;
}
