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
import type { Timestamp } from "#platform/time.ts";
import { memoryStore, NOW } from "#test/support/payments/plugins.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";

/** What the conformance suite has to know of a connector and of the fake of its provider. */
export interface Conformance<P extends FakePsp> {
  readonly kind: ConnectorKind;
  /** A provider that holds nothing. */
  readonly psp: () => P;
  /** A configuration that the provider lets in. */
  readonly config: PluginConfig;
  /** The lists that the plugin reads, with one entry for each fetch task that it has. */
  readonly lists: readonly ListCase<P>[];
  /** How the provider says that something is wrong, in its own words. */
  readonly errors: readonly ErrorCase[];
  /** Items with values that the connector does not know: they are stored, and hold up nothing. */
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
   * Adds items that are newer than those before. Returns their references; of balances `<account> <asset>`. Absent for a list that the
   * fake cannot have items of.
   */
  readonly add?: (psp: P, count: number) => readonly string[];
  /** References of items that no list is without: the account of the key itself. */
  readonly always?: readonly string[];
  /** Most items that can be added, where it is few. */
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
  /** Adds one item. */
  readonly arrange: (psp: P) => void;
  /** Some members of the object that comes of it; undefined where the item is left out. */
  readonly expected: object | undefined;
}

export interface MovementCase<P> {
  readonly name: string;
  /** Lets be there what the movement needs: a bank account that was forwarded, for example. */
  readonly arrange?: (bench: Bench<P>) => Promise<unknown>;
  readonly movement: (psp: P) => Movement;
  /** How many movements the provider has made. */
  readonly made: (psp: P, plugin: Plugin) => number | Promise<number>;
  /** A movement that the connector or the provider refuses. */
  readonly refused?: (psp: P) => Movement;
  /** How the movement is taken back; absent where the connector does not offer that. */
  readonly reversal?: { readonly metadata: (psp: P) => Record<string, string> };
}

export interface BankAccountCase<P> {
  readonly details: BankAccountDetails;
  /** How many the provider has; absent where it is not told of them. */
  readonly made?: (psp: P) => number;
}

/** What a provider sends to a URL. */
export interface Sent {
  /** `POST` where it is absent. */
  readonly method?: string;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookCase<P> {
  /** What the webhooks hang on; absent where they are a root of the tree. */
  readonly parent?: (psp: P) => Pick<FetchRequest, "parent" | "other">;
  /** How many webhooks the provider has. Absent, as the next one, where it is told of URLs otherwise. */
  readonly registered?: (psp: P) => number;
  /** Adds a webhook of somebody else. */
  readonly addForeign?: (psp: P) => void;
  /** Lets be there what deliveries are about: users, for example. It may be called again. */
  readonly arrange?: (bench: Bench<P>) => Promise<unknown>;
  /** A delivery about something new, to one of the registered paths, signed at that time. */
  readonly deliver: (psp: P, webhook: { readonly urlPath: string; readonly at: Timestamp }) => Sent;
  /** The path that deliveries go to; the first one that is registered where it is absent. */
  readonly urlPath?: string;
  /**
   * What a forger makes of a delivery: another body, another signature, or none. Absent where the provider signs nothing: then the URL is
   * known to the provider alone, and what a delivery names is read from the provider.
   */
  readonly forgeries?: Readonly<Record<"body" | "signature" | "absence", (sent: Sent) => Sent>>;
  /** A delivery, rightly signed, of a type that the connector does not know. */
  readonly unknown: (psp: P, webhook: { readonly urlPath: string; readonly at: Timestamp }) => Sent;
  /** How old a signature may be, in milliseconds; absent where it has no time. */
  readonly toleranceMs?: number;
}

export const CONNECTOR_ID = "eyJQcm92aWRlciI6InRlc3QifQ";
export const BASE_URL = `https://florin.example/api/payments/v3/connectors/webhooks/${CONNECTOR_ID}`;

/** A plugin at work on a fake provider. */
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

/** The request that a provider's delivery becomes. */
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
