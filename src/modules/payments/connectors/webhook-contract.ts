import type {
  ProviderAccount,
  ProviderBalance,
  ProviderPayment,
  RejectedItem,
} from "./provider-objects.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * Webhooks of a provider: what it calls when something has happened there.
 *
 * 1. At the installation, the node `CREATE_WEBHOOKS` of the tree calls `create`, which registers URLs below the connector's own one.
 * 2. A delivery goes to the configuration whose path is that of the request. `verify` decides whether it comes from the provider. One that
 *    does is stored, once for each of its keys, and answered; the answer waits for nothing else.
 * 3. A kind may split it into parts, which are stored together, and worked off one after the other.
 * 4. `translate` says what it reports, which is stored in one batch. It may ask the provider for more, and is repeated when that fails.
 */
export interface WebhookPlugin {
  /**
   * Registers what the provider is to call. A call whose result could not be stored is repeated: it finds what was registered, and makes
   * it anew where its secret cannot be read again.
   */
  readonly create: (registration: WebhookRegistration) => Promise<readonly RegisteredWebhook[]>;
  /** Compares signatures in constant time. Throws `ConnectorError` only where it has to ask the provider for a key and gets no answer. */
  readonly verify: (webhook: ProviderWebhook) => Promise<WebhookVerdict>;
  readonly translate: (webhook: ProviderWebhook) => Promise<WebhookReport>;
}

/**
 * The bodies of the parts of a verified delivery, in the order in which they are worked off: at least one. All of them together report what
 * the whole one does. The same delivery has the same parts. One that cannot be read is its only part.
 */
export type SplitWebhook = (webhook: ProviderWebhook) => readonly string[];

export interface WebhookRegistration {
  /** The URL below which the connector's deliveries are taken, without a slash at its end. It has the id of the connector in it. */
  readonly baseUrl: string;
  /** As clients know it. It tells the connector's webhooks from others at the provider. */
  readonly connectorId: string;
  /** What is stored already: an update of the configuration registers again. */
  readonly registered: readonly RegisteredWebhook[];
  /** The item of the parent node, as JSON; undefined where `CREATE_WEBHOOKS` is a root. */
  readonly parent?: ParentItem;
}

/** An item that others hang on: its id, and the JSON text that came from the provider. */
export interface ParentItem {
  readonly reference: string;
  readonly raw: string;
}

/** A URL that the provider calls. A later one of the same path replaces it. */
export interface RegisteredWebhook {
  readonly name: string;
  /** What follows the base URL, such as `/standard`. A request has exactly this path. */
  readonly urlPath: string;
  /** Ids and secrets that verification and removal need. It is stored encrypted. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A request that came to a URL of a connector. */
export interface ProviderWebhook {
  readonly config: RegisteredWebhook;
  readonly method: string;
  /** The URL as the provider knows it, with its query. */
  readonly url: string;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/**
 * A delivery of the provider has a key, which is the same when it is delivered again, and of no other delivery. Of a refused one, the
 * reason goes into the log; the sender does not get to know it.
 */
export type WebhookVerdict = { readonly key: string } | { readonly refused: string };

/** What a delivery reports. All of it is stored in one batch, in this order; a delivery that reports nothing is done. */
export interface WebhookReport {
  /** Whose accounts, payments and balances these are; absent where they are the connector's own, or name their owner themselves. */
  readonly owner?: ConnectionOwner;
  readonly accounts?: readonly ProviderAccount[];
  readonly externalAccounts?: readonly ProviderAccount[];
  /** Later states of payments advance the payment initiations that they belong to. */
  readonly payments?: readonly ProviderPayment[];
  /** References of payments that the provider has withdrawn. */
  readonly deletedPayments?: readonly string[];
  /** References of payments that the provider has cancelled, without saying more. */
  readonly cancelledPayments?: readonly string[];
  readonly balances?: readonly ProviderBalance[];
  /** What could not be read of it: it is set aside, and the others are stored. */
  readonly rejected?: readonly RejectedItem[];
  /** How movements have ended that are asked for under a polling id. One that nobody asks for is ignored. */
  readonly outcomes?: readonly MovementOutcome[];
  /** What has happened to users of open banking and to their connections. */
  readonly connections?: readonly ConnectionNews[];
  /** Attempts to link users that have come to their end at the provider, and are completed as if the browser had come back. */
  readonly endedLinks?: readonly EndedLink[];
}

/** A connection of a user, by the names that the provider has. What is reported of somebody unknown is left out. */
export interface ConnectionOwner {
  readonly providerUserId: string;
  readonly connectionId: string;
}

export interface EndedLink {
  readonly attemptId: string;
  /** What the completion gets as the query of the callback. */
  readonly query: Readonly<Record<string, readonly string[]>>;
}

interface UserNews {
  /** What the provider knows the user by. News of somebody unknown are left out. */
  readonly providerUserId: string;
}
interface ConnectedNews {
  /** Absent where the provider names the connection alone: then it is that of the user who has it. */
  readonly providerUserId?: string;
  readonly connectionId: string;
}
interface DatedNews extends ConnectedNews {
  readonly at: Timestamp;
}

/**
 * What has happened to a user, or to a connection of one. A connection that is disconnected or works again is stored; `data-ready` fetches the
 * accounts and payments of a connection at once; of the others, only events tell.
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
