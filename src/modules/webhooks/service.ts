import { randomBytes } from "node:crypto";
import { type CallResult, callEndpoint } from "./call.ts";
import type { ConfigChange, ConfigFields, ConfigFilter } from "./config-store.ts";
import { contextOf, type WebhookContext, type WebhookPorts } from "./context.ts";
import type { WebhookConfig } from "./core/config.ts";
import { dispatch } from "./dispatch.ts";
import { fanOut, listSubscriptions, type Subscriptions } from "./fan-out.ts";
import { sweep } from "./sweep.ts";
import { countTest } from "./test-limit.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { urlProblem } from "#platform/http/outbound.ts";
import { newId } from "#platform/ids.ts";

/** A config as a client sends it. If it has no secret, the service makes one. */
export interface ConfigInput extends Omit<ConfigFields, "secret"> {
  readonly secret: string | undefined;
}

/** A config as a client replaces it. */
export interface ConfigUpdate extends ConfigInput {
  /** Ends earlier secrets at once; otherwise they still sign for a while. */
  readonly immediate?: boolean;
}

/** The result of a test request. */
export interface TestCall {
  /** Sent as `formance-webhook-id` and as `webhook-id`. */
  readonly webhookId: string;
  readonly config: WebhookConfig;
  readonly body: string;
  readonly result: CallResult;
}

/** The use cases of the module: configs for clients, deliveries for the queues, the sweep for the clock. */
export class WebhookService {
  readonly #context: WebhookContext;

  constructor(context: WebhookContext) {
    this.#context = context;
  }

  static from(context: ServiceContext, ports: Partial<WebhookPorts> = {}): WebhookService {
    return new WebhookService(contextOf(context, ports));
  }

  listConfigs(filter: ConfigFilter): Promise<WebhookConfig[]> {
    return this.#context.configs.list(filter);
  }

  createConfig(input: ConfigInput): Promise<WebhookConfig> {
    const id = newId();
    return this.#context.configs.insert(id, this.#toFields(input), this.#change("create", id));
  }

  /** Replaces a config. Without a secret in the input, the old one is replaced by a new one, too. */
  async updateConfig(id: string, input: ConfigUpdate): Promise<void> {
    const fields = { ...this.#toFields(input), immediate: input.immediate ?? false };
    const isUpdated = await this.#context.configs.update(id, fields, this.#change("update", id));
    if (!isUpdated) throw notFound();
  }

  async deleteConfig(id: string): Promise<void> {
    if (!(await this.#context.configs.remove(id, this.#change("delete", id)))) throw notFound();
  }

  async setActive(id: string, active: boolean): Promise<WebhookConfig> {
    const change = this.#change(active ? "activate" : "deactivate", id);
    await this.#context.configs.setActive(id, active, change);
    return this.#getConfig(id);
  }

  async changeSecret(
    id: string,
    { secret, immediate = false }: Pick<ConfigUpdate, "secret" | "immediate">,
  ): Promise<WebhookConfig> {
    const wanted = { secret: secret ?? newSecret(), immediate };
    const change = this.#change("change-secret", id);
    const config = await this.#context.configs.updateSecret(id, wanted, change);
    if (config === undefined) throw notFound();
    return config;
  }

  /**
   * Sends one signed request to an endpoint, active or not. Nothing but their number is stored, and nothing repeated.
   * Throws `RATE_LIMITED`.
   */
  async testConfig(id: string): Promise<TestCall> {
    const { configs, calls, db, clock } = this.#context;
    const found = await configs.findWithTarget(id);
    if (found === undefined) throw notFound();
    await countTest(db, id, clock());
    const { config, target } = found;
    const call = { target, id: newId(), body: TEST_BODY, idempotencyKey: "ik", isTest: true };
    const result = await callEndpoint(call, calls);
    return { webhookId: call.id, config, body: TEST_BODY, result };
  }

  /** The configs that want events, by event type; empty if no config is active. */
  listSubscriptions(): Promise<Subscriptions> {
    return listSubscriptions(this.#context);
  }

  /** Resolves when the deliveries of all events are stored. Events may come again and in any order. */
  fanOut(events: readonly PlatformEvent[], subscriptions: Subscriptions): Promise<void> {
    return fanOut(events, subscriptions, this.#context);
  }

  /** Attempts those of the deliveries that are due. */
  deliver(deliveryIds: readonly string[]): Promise<void> {
    return dispatch(deliveryIds, this.#context);
  }

  /** Plans forgotten deliveries again and returns when to sweep next, in milliseconds since the epoch. */
  sweep(): Promise<number | undefined> {
    return sweep(this.#context);
  }

  #change(verb: string, id: string): ConfigChange {
    const action = { action: `webhooks.config.${verb}`, object: `configs/${id}` };
    return {
      now: this.#context.clock(),
      change: new AuditedChange(this.#context.caller, action),
    };
  }

  async #getConfig(id: string): Promise<WebhookConfig> {
    const config = await this.#context.configs.find(id);
    if (config === undefined) throw notFound();
    return config;
  }

  #toFields({ endpoint, secret, eventTypes, name }: ConfigInput): ConfigFields {
    const problem = urlProblem(endpoint, this.#context.calls.policy);
    if (problem !== undefined)
      throw new AppError("VALIDATION", `invalid config: endpoint ${problem}`);
    return { endpoint, secret: secret ?? newSecret(), eventTypes, name };
  }
}

const TEST_BODY = '{"data":"test"}';
/** Size of a secret before it is encoded. */
export const SECRET_BYTES = 24;

const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64");

const notFound = (): AppError => new AppError("NOT_FOUND", "config not found");
