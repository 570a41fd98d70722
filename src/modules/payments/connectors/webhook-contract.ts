import type {
  ProviderAccount,
  ProviderBalance,
  ProviderPayment,
  RejectedItem,
} from "./provider-objects.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * Webhooks of a provider, from their registration to the objects that are stored:
 *
 *     CREATE_WEBHOOKS ─ create ─► URLs below the connector's base URL
 *     delivery ─ verify, split ─► parts, stored once for each key ─► answer
 *                                   └─ translate each ─► reports, each stored in one batch
 *
 * 1. The task `CREATE_WEBHOOKS` of the tree calls `create`, which registers URLs at the provider.
 * 2. A delivery belongs to the registered webhook whose path is the path of the request. `verify` decides whether the provider has sent the
 *    delivery. An accepted delivery is stored, once for each key, and answered; the answer waits for nothing else. A kind may split a delivery
 *    into parts, which are stored together and processed one after the other.
 * 3. `translate` reads the content of a delivery or part, which is stored in one batch. `translate` may send requests to the provider, and is
 *    repeated if one of them fails.
 */
export interface WebhookPlugin {
  /**
   * Registers the URLs that the provider has to call. A call whose result could not be stored is repeated: it finds the registered
   * webhooks, and replaces a webhook whose secret cannot be read again.
   */
  readonly create: (registration: WebhookRegistration) => Promise<readonly RegisteredWebhook[]>;
  /**
   * Verifies that a delivery comes from the provider; signatures are compared in constant time. Throws `ConnectorError` only if the
   * provider has to be asked for a key and gives no answer.
   */
  readonly verify: (webhook: ProviderWebhook) => Promise<WebhookVerdict>;
  readonly translate: (webhook: ProviderWebhook) => Promise<WebhookReport>;
}

/**
 * The bodies of the parts of a verified delivery, in processing order; there is at least one. Together the parts report the same as the
 * delivery. Equal deliveries have equal parts, and a delivery that cannot be read is its own only part.
 */
export type SplitWebhook = (webhook: ProviderWebhook) => readonly string[];

export interface WebhookRegistration {
  /** The base URL of the connector's webhooks, without a slash at its end. It contains the id of the connector. */
  readonly baseUrl: string;
  /** The connector's id, as clients know it. It distinguishes the connector's webhooks from others at the provider. */
  readonly connectorId: string;
  /** The webhooks that are stored already, since each update of the configuration registers again. */
  readonly registered: readonly RegisteredWebhook[];
  /** The item of the parent node; undefined if `CREATE_WEBHOOKS` is a root. */
  readonly parent?: ParentItem;
}

/** An item that is the parent of other tasks: its id, and its JSON text. */
export interface ParentItem {
  readonly reference: string;
  readonly raw: string;
}

/** A URL that the provider calls. A later webhook with the same path replaces an earlier one. */
export interface RegisteredWebhook {
  readonly name: string;
  /** The path below the base URL, such as `/standard`. The path of a request has to be exactly the same. */
  readonly urlPath: string;
  /** Ids and secrets that verification and removal need. They are stored encrypted. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A request to a webhook URL of a connector. */
export interface ProviderWebhook {
  readonly config: RegisteredWebhook;
  readonly method: string;
  /** The URL as the provider knows it, with its query. */
  readonly url: string;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/**
 * The key of a delivery of the provider, or the reason for a refusal. A repeated delivery has the same key, and no other delivery has it.
 * The reason is logged, and is not told to the sender.
 */
export type WebhookVerdict = { readonly key: string } | { readonly refused: string };

/** The content of a delivery. All of it is stored in one batch, in the order of these members. An empty report is valid. */
export interface WebhookReport {
  /** The owner of the accounts, payments and balances; absent if the connector owns them, or if each object names its owner. */
  readonly owner?: ConnectionOwner;
  readonly accounts?: readonly ProviderAccount[];
  readonly externalAccounts?: readonly ProviderAccount[];
  /** States of payments, which also advance the payment initiations that they belong to. */
  readonly payments?: readonly ProviderPayment[];
  /** References of payments that the provider has withdrawn. */
  readonly deletedPayments?: readonly string[];
  /** References of payments that the provider has cancelled, if the delivery has no more than references. */
  readonly cancelledPayments?: readonly string[];
  readonly balances?: readonly ProviderBalance[];
  /** Objects that could not be read. They are set aside, and the other objects are stored. */
  readonly rejected?: readonly RejectedItem[];
  /** Outcomes of movements that are polled. The outcome of an unknown polling id is ignored. */
  readonly outcomes?: readonly MovementOutcome[];
  /** News of users of open banking and of their connections. */
  readonly connections?: readonly ConnectionNews[];
  /** Attempts to link users that have ended at the provider. They are completed as if the browser had come back. */
  readonly endedLinks?: readonly EndedLink[];
}

/** A connection of a user, by the provider's ids. Objects of an unknown user or connection are left out. */
export interface ConnectionOwner {
  readonly providerUserId: string;
  readonly connectionId: string;
}

export interface EndedLink {
  readonly attemptId: string;
  /** The query of the callback that completes the attempt. */
  readonly query: Readonly<Record<string, readonly string[]>>;
}

interface UserNews {
  /** The provider's id of the user. News of unknown users are left out. */
  readonly providerUserId: string;
}
interface ConnectedNews {
  /** The provider's id of the user; absent if the provider names only the connection, which then identifies the user. */
  readonly providerUserId?: string;
  readonly connectionId: string;
}
interface DatedNews extends ConnectedNews {
  readonly at: Timestamp;
}

/**
 * News of a user, or of a connection of a user. The states `disconnected` and `reconnected` are stored; `data-ready` fetches the accounts
 * and payments of a connection at once; the other kinds are only published as events.
 */
export type ConnectionNews =
  | (UserNews & {
      readonly kind: "user-disconnected";
      readonly at: Timestamp;
      readonly reason?: string;
    })
  | (DatedNews & { readonly kind: "pending-disconnect"; readonly reason: string })
  | (DatedNews & { readonly kind: "disconnected"; readonly reason?: string })
  | (DatedNews & { readonly kind: "reconnected" })
  | (ConnectedNews & { readonly kind: "data-ready" });

export interface MovementOutcome {
  readonly pollingId: string;
  readonly result: { readonly payment: ProviderPayment } | { readonly error: string };
}
