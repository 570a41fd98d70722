import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { ReplayRequests } from "./replay-requests.ts";
import { purgePayloads } from "#modules/webhooks/bodies/payload-purge.ts";
import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import {
  callContextOf,
  type CallContext,
  type CallResult,
  callEndpoint,
  toCallTarget,
} from "#modules/webhooks/calls/call.ts";
import {
  type ConfigChange,
  type ConfigFields,
  type ConfigFilter,
  CONFIGS_MAX,
  ConfigStore,
} from "#modules/webhooks/configs/config-store.ts";
import {
  type ConfigReconciler,
  endpointOf,
  reconcilerOf,
  TO_ENDPOINT,
  workLimits,
} from "#modules/webhooks/configs/endpoints.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { countTest } from "#modules/webhooks/configs/test-limit.ts";
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import { unknownConfig } from "#modules/webhooks/core/failures.ts";
import { webhookSettings } from "#modules/webhooks/settings.ts";
import { webhookConfigs } from "#modules/webhooks/tables.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { urlProblem } from "#platform/http/outbound.ts";
import { newId } from "#platform/ids.ts";
import { reachObject } from "#platform/objects/call.ts";
import { objectsAtOnce } from "#platform/objects/side-by-side.ts";
import { toMillis } from "#platform/time.ts";

/** A config as a client sends it. Without a secret, the service makes one. */
export interface ConfigInput extends Omit<ConfigFields, "secret"> {
  readonly secret: string | undefined;
}

/** New fields of a config. */
export interface ConfigUpdate extends ConfigInput {
  /** Whether earlier secrets end at once. Otherwise they sign for a while longer. */
  readonly immediate?: boolean;
}

/** The result of a test request. */
export interface TestCall {
  /** The value of the headers `formance-webhook-id` and `webhook-id`. */
  readonly webhookId: string;
  readonly config: WebhookConfig;
  readonly body: string;
  readonly result: CallResult;
}

/** The use cases of configs. A change is stored in D1 first; then the object of the endpoint is told, by the request or later by the sweep. */
export class WebhookService {
  readonly #context: ServiceContext;
  readonly #configs: ConfigStore;
  readonly #reconciler: ConfigReconciler;
  readonly #calls: CallContext;

  constructor(context: ServiceContext, calls: CallContext) {
    this.#context = context;
    this.#configs = ConfigStore.from(context.env);
    this.#reconciler = reconcilerOf(context.env, this.#configs);
    this.#calls = calls;
  }

  static from(context: ServiceContext): WebhookService {
    return new WebhookService(context, callContextOf(context));
  }

  listConfigs(filter: ConfigFilter): Promise<WebhookConfig[]> {
    return this.#configs.list(filter);
  }

  /** The event types of a config. Throws `NOT_FOUND`. */
  async eventTypesOf(id: string): Promise<readonly string[]> {
    const eventTypes = await this.#configs.eventTypesOf(id);
    if (eventTypes === undefined) throw unknownConfig();
    return eventTypes;
  }

  /** Creates a config, which is active. Throws `VALIDATION` for a URL that may not be called, and if there are too many configs. */
  async createConfig(input: ConfigInput): Promise<WebhookConfig> {
    const id = newId();
    const fields = this.#toFields(input);
    const config = await this.#tell(id, () =>
      this.#configs.insert(id, fields, this.#change("create", id)),
    );
    if (config !== undefined) return config;
    throw new AppError(
      "VALIDATION",
      `there are already ${CONFIGS_MAX} webhook configs, and no more are allowed; deleted ones count until their deliveries are purged`,
    );
  }

  /**
   * Replaces the fields of a config. Without a secret in the input, the secret is replaced as well, by a new one. Throws
   * `NOT_FOUND` and `VALIDATION`.
   */
  async updateConfig(id: string, input: ConfigUpdate): Promise<void> {
    const fields = { ...this.#toFields(input), immediate: input.immediate ?? false };
    const change = this.#change("update", id);
    const isUpdated = await this.#tell(id, () => this.#configs.update(id, fields, change));
    if (!isUpdated) throw unknownConfig();
  }

  /** Deletes a config and cancels its pending deliveries. Throws `NOT_FOUND`. */
  async deleteConfig(id: string): Promise<void> {
    const change = this.#change("delete", id);
    if (!(await this.#tell(id, () => this.#configs.remove(id, change)))) throw unknownConfig();
  }

  /** Activates or deactivates a config. Deactivation cancels its pending deliveries. Throws `NOT_FOUND`. */
  async setActive(id: string, active: boolean): Promise<WebhookConfig> {
    const change = this.#change(active ? "activate" : "deactivate", id);
    await this.#tell(id, () => this.#configs.setActive(id, active, change));
    return this.#getConfig(id);
  }

  async changeSecret(
    id: string,
    { secret, immediate = false }: Pick<ConfigUpdate, "secret" | "immediate">,
  ): Promise<WebhookConfig> {
    const wanted = { secret: secret ?? newSecret(), immediate };
    const change = this.#change("change-secret", id);
    const config = await this.#tell(id, () => this.#configs.updateSecret(id, wanted, change));
    if (config === undefined) throw unknownConfig();
    return config;
  }

  /**
   * Sends one signed request to the endpoint of a config, active or not. The request is not stored, except in the count of tests,
   * and not repeated. Throws `NOT_FOUND`, `RATE_LIMITED`, and `DISARMED` while the deployment is disarmed.
   */
  async testConfig(id: string): Promise<TestCall> {
    const found = await this.#configs.findWithTarget(id);
    if (found === undefined) throw unknownConfig();
    await assertArmed(this.#context);
    await countTest(databaseOf(this.#context.env), id, this.#context.clock());
    const { config } = found;
    const target = toCallTarget(found.target, this.#calls);
    const call = { target, id: newId(), body: TEST_BODY, idempotencyKey: "ik", isTest: true };
    const result = await callEndpoint(call, this.#calls);
    return { webhookId: call.id, config, body: TEST_BODY, result };
  }

  /**
   * Tells objects the revisions that they may not know, and purges bodies and idempotency keys. Returns when to sweep next, in
   * milliseconds since the epoch.
   */
  async sweep(): Promise<number | undefined> {
    await this.#reconciler.run(workLimits());
    const times = [
      await this.#reconciler.nextSweepMs(),
      await this.#purgePayloads(),
      await ReplayRequests.from(this.#context).purge(),
    ].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #purgePayloads(): Promise<number | undefined> {
    const { env, clock } = this.#context;
    return purgePayloads({
      store: PayloadStore.from(env),
      settings: webhookSettings.of(env),
      nowMs: toMillis(clock()),
      lanes: () => LaneSpecs.from(this.#context.env).listIds({ isDeleted: false }),
      ask: (id, eventIds) => reachObject(endpointOf(env, id).needs(eventIds), TO_ENDPOINT),
      atOnce: (most) => objectsAtOnce(env, most),
    });
  }

  /** Stores a change of a config and tells the object of its endpoint. */
  async #tell<T>(id: string, change: () => Promise<T>): Promise<T> {
    const result = await this.#reconciler.change(change);
    await this.#reconciler.settle({ ...workLimits(), scope: eq(webhookConfigs.id, id) });
    return result;
  }

  #change(verb: string, id: string): ConfigChange {
    const action = { action: `webhooks.config.${verb}`, object: `configs/${id}` };
    return { now: this.#context.clock(), change: new AuditedChange(this.#context, action) };
  }

  async #getConfig(id: string): Promise<WebhookConfig> {
    const config = await this.#configs.find(id);
    if (config === undefined) throw unknownConfig();
    return config;
  }

  #toFields({ endpoint, secret, eventTypes, name }: ConfigInput): ConfigFields {
    const problem = urlProblem(endpoint, this.#calls.policy);
    if (problem !== undefined) {
      throw new AppError("VALIDATION", `invalid config: endpoint ${problem}`);
    }
    return { endpoint, secret: secret ?? newSecret(), eventTypes, name };
  }
}

const TEST_BODY = '{"data":"test"}';
/** Size of a secret in bytes, before base64. */
export const SECRET_BYTES = 24;

const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64");
