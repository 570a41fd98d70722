import type { PluginConfig } from "#modules/payments/connectors/config.ts";
import type { ConnectorErrorKind } from "#modules/payments/connectors/connector-error.ts";
import type {
  BankAccountDetails,
  ConnectorKind,
  FetchPage,
  FetchRequest,
  ItemTask,
  Movement,
  Plugin,
} from "#modules/payments/connectors/contract.ts";
import { providerFetch } from "#modules/payments/connectors/kit/http.ts";
import type { ProviderWebhook } from "#modules/payments/connectors/webhook-contract.ts";
import { FETCHED_KINDS } from "#modules/payments/polling/fetched-kinds.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";
import type { Timestamp } from "#platform/time.ts";
import { memoryStore, NOW } from "#test/support/payments/plugins.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";

/** A connector and the fake of its provider, for the conformance suite. */
export interface Conformance<P extends FakePsp> {
  readonly kind: ConnectorKind;
  /** Makes an empty provider. */
  readonly psp: () => P;
  /** A configuration that the provider accepts. */
  readonly config: PluginConfig;
  /** The lists that the plugin reads, with an entry for each of its fetch tasks. */
  readonly lists: readonly ListCase<P>[];
  /** Errors of the provider in its own format. */
  readonly errors: readonly ErrorCase[];
  /** Items with values that the connector does not know, which are stored without an error. */
  readonly unknownValues: readonly UnknownValue<P>[];
  readonly movements?: readonly MovementCase<P>[];
  readonly bankAccounts?: BankAccountCase<P>;
  readonly webhooks?: WebhookCase<P>;
}

/** What a fetch hangs on. */
export type Belonging = Pick<FetchRequest, "parent" | "other" | "connection">;

export interface ListCase<P> {
  readonly task: ItemTask;
  /** What the fetch hangs on; absent for a root. It may add to the provider what has to be there. */
  readonly parent?: (psp: P) => Belonging;
  /**
   * Adds items that are newer than all others. Returns their references; for balances `<account> <asset>`. Absent for a list of
   * a fake that cannot get more items.
   */
  readonly add?: (psp: P, count: number) => readonly string[];
  /** References of items that the list always has, such as the account of the key. */
  readonly always?: readonly string[];
  /** The most items that can be added, if they are few. */
  readonly max?: number;
}

export interface ErrorCase {
  readonly name: string;
  readonly answer: () => Response;
  readonly kind: ConnectorErrorKind;
}

export interface UnknownValue<P> {
  readonly name: string;
  readonly task: ItemTask;
  readonly parent?: (psp: P) => Belonging;
  readonly arrange: (psp: P) => void;
  /** Members that the resulting object must have; undefined for an item that is left out. */
  readonly expected: object | undefined;
}

export interface MovementCase<P> {
  readonly name: string;
  /** Prepares the movement, for example by forwarding a bank account. */
  readonly arrange?: (bench: Bench<P>) => Promise<unknown>;
  readonly movement: (psp: P) => Movement;
  /** The number of movements that the provider has made. */
  readonly made: (psp: P, plugin: Plugin) => number | Promise<number>;
  readonly refused?: (psp: P) => Movement;
  /** The reversal of the movement; absent for a connector without reversals. */
  readonly reversal?: { readonly metadata: (psp: P) => Record<string, string> };
}

export interface BankAccountCase<P> {
  readonly details: BankAccountDetails;
  /** The number of bank accounts at the provider; absent for a provider that is not told of them. */
  readonly made?: (psp: P) => number;
}

/** A delivery of a provider. */
export interface Sent {
  /** The method of the delivery, by default `POST`. */
  readonly method?: string;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookCase<P> {
  /** The objects on which the webhooks depend; absent for a root. */
  readonly parent?: (psp: P) => Pick<FetchRequest, "parent" | "other">;
  /**
   * The number of webhooks at the provider. `registered` and `addForeign` are absent for a provider that learns URLs in another
   * way.
   */
  readonly registered?: (psp: P) => number;
  /** Adds a webhook of another application. */
  readonly addForeign?: (psp: P) => void;
  /** Prepares deliveries, for example by adding users. It may be called again. */
  readonly arrange?: (bench: Bench<P>) => Promise<unknown>;
  /** A delivery about a new object, to a registered path, signed at a time. */
  readonly deliver: (psp: P, webhook: { readonly urlPath: string; readonly at: Timestamp }) => Sent;
  /** The path of deliveries, by default the first registered one. */
  readonly urlPath?: string;
  /**
   * Forgeries of a delivery: with another body, with another signature, or without one. Absent for a provider that signs
   * nothing: then only the provider knows the URL, and the connector reads the objects of a delivery from the provider.
   */
  readonly forgeries?: Readonly<Record<"body" | "signature" | "absence", (sent: Sent) => Sent>>;
  /** A correctly signed delivery of a type that the connector does not know. */
  readonly unknown: (psp: P, webhook: { readonly urlPath: string; readonly at: Timestamp }) => Sent;
  /** The greatest age of a signature, in milliseconds; absent for signatures without a time. */
  readonly toleranceMs?: number;
}

export const CONNECTOR_ID = "eyJQcm92aWRlciI6InRlc3QifQ";
export const BASE_URL = `https://florin.example/api/payments/v3/connectors/webhooks/${CONNECTOR_ID}`;

/** A plugin with a fake provider. */
export interface Bench<P> {
  readonly psp: P;
  readonly plugin: Plugin;
}

export function openBench<P extends FakePsp>({
  kind,
  psp: create,
  config,
}: Conformance<P>): Bench<P> {
  const psp = create();
  const plugin = kind.create(config, {
    fetch: providerFetch({
      fetch: psp.fetch,
      policy: { allowPrivateHosts: false },
      gate: OPEN_GATE,
      secrets: secretsOf({ kind, config }),
      timeoutMs: 5000,
    }),
    clock: () => NOW,
    store: memoryStore(),
  });
  return { psp, plugin };
}

export const secretsOf = ({ kind, config }: Pick<Conformance<FakePsp>, "kind" | "config">) =>
  kind.fields.flatMap(({ name, isSecret }) => (isSecret === true ? [String(config[name])] : []));

/** The operation of a plugin that does a task. */
export const fetchOf = (
  plugin: Plugin,
  task: ItemTask,
): ((request: FetchRequest) => Promise<FetchPage<unknown>>) =>
  plugin[FETCHED_KINDS[task].operation] ??
  (() => Promise.reject(new Error(`the plugin does not do ${task}`)));

/** The webhook request of a provider's delivery. */
export const toWebhook = (
  config: ProviderWebhook["config"],
  { method = "POST", query = {}, headers, body }: Sent,
): ProviderWebhook => ({
  config,
  method,
  url: `${BASE_URL}${config.urlPath}`,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  query,
  body,
});
