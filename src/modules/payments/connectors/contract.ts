import type { ConfigField, PluginConfig } from "./config.ts";
import type { ConnectorErrorKind } from "./connector-error.ts";
import type {
  ProviderAccount,
  ProviderBalance,
  ProviderPayment,
  RejectedItem,
} from "./provider-objects.ts";
import type { ProviderConversion, ProviderOrder } from "./provider-orders.ts";
import type {
  ParentItem,
  RegisteredWebhook,
  SplitWebhook,
  WebhookPlugin,
} from "./webhook-contract.ts";
import type { Capability } from "#modules/payments/core/enums.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

/** A kind of connector: its entry in the catalogue, and the function that makes a plugin for one installation. Each kind has a folder. */
export interface ConnectorKind {
  /** The name of the kind in paths and ids, in lower case, such as `generic`. */
  readonly key: string;
  readonly capabilities: readonly Capability[];
  /** The number of items that one call of a fetch requests. */
  readonly pageSize: number;
  /** The fields of the configuration besides `name` and `pollingPeriod`, in the order in which they are checked. */
  readonly fields: readonly ConfigField[];
  /**
   * The name of a binding for requests that have to present a client certificate, which the runtime accepts from bindings only. If the
   * deployment has such a binding, the requests of the connector go through it.
   */
  readonly certificateBinding?: string;
  /** Members that version 1 of the API adds to a configuration, because its clients require them. */
  readonly legacyConfig?: PluginConfig;
  /**
   * The tasks of an installation, as a forest: a child runs for each item of its parent, once or periodically. Siblings have different
   * tasks.
   */
  readonly tree: readonly FetchNode[];
  /**
   * Maps the reference of a movement to the reference that the provider shows on the payment it makes
   * (`ProviderPayment.initiationReference`); absent if both are the same. The mapping never changes, because its results are stored with
   * movements.
   */
  readonly shownReferenceOf?: (reference: string) => string;
  /**
   * The movements that the provider's lists show with their references as soon as it has accepted them, also those that are pending or have
   * failed. After a complete run, the provider has not made one of them that was not shown. Absent for a provider of which nobody knows this.
   */
  readonly listed?: readonly MovementKind[];
  /** Whether each provider of the kind decides by itself what it lists, so that `listed` holds only if a setting says so. */
  readonly isListedByWord?: true;
  /** Whether the plugins can ask by a reference what has become of a movement (`findMovement`). */
  readonly findsMovements?: true;
  /** Whether the plugins can ask by a reference what has become of a reversal (`findReversal`). */
  readonly findsReversals?: true;
  /**
   * Splits deliveries of a provider that may report more in one delivery than one batch can store. The limit on the size of bodies depends
   * on the presence of this function, so that it belongs to the kind and not to the plugin.
   */
  readonly splitWebhook?: SplitWebhook;
  /** Makes a plugin without calling the provider. Throws `ConnectorError` for an invalid configuration. */
  readonly create: (config: PluginConfig, ports: PluginPorts) => Plugin;
}

export interface PluginPorts {
  /** Calls the provider within the limits of time, size and the outbound policy. */
  readonly fetch: ProviderFetch;
  readonly clock: Clock;
  readonly store: PluginStore;
  /** The base URL of the provider's API, such as that of a sandbox, if the deployment sets one in place of the usual one. */
  readonly baseUrl?: string;
}

/** Named texts that a plugin keeps for its installation until it is uninstalled. The texts are encrypted; their names are not. */
export interface PluginStore {
  readonly find: (name: string) => Promise<string | undefined>;
  /** The texts whose names have the prefix, in the order of their names. */
  readonly list: (prefix: string) => Promise<readonly StoredText[]>;
  /**
   * Stores all texts, or none if there is a text with the name of the first one, or if the connector is being uninstalled. Returns whether
   * they were stored. Throws if another name than the first one is taken. Of two calls at once, one stores its texts.
   */
  readonly insert: (...texts: readonly [StoredText, ...StoredText[]]) => Promise<boolean>;
  /**
   * Deletes the texts whose names have the prefix. To delete a single text, its name has to end so that no other name begins with it,
   * such as with a slash.
   */
  readonly removeByPrefix: (prefix: string) => Promise<void>;
}

export interface StoredText {
  readonly name: string;
  readonly value: string;
}

export interface ProviderRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether a request with another method than GET changes nothing, such as a search or a login. */
  readonly isRead?: boolean;
  /** The time limit for an answer, in milliseconds: 10 s by default, and 40 s at most. */
  readonly timeoutMs?: number;
  /** Classifies an error answer by more than its status; undefined for an answer whose status decides. */
  readonly errorKindOf?: (answer: ProviderResponse) => ConnectorErrorKind | undefined;
}

/** A successful answer of the provider, or 404. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The method and path of the request, for texts of errors: without parameters and secrets. */
  readonly request: string;
}

/** Sends a request. Throws `ConnectorError` if there is no answer, or an answer of an error other than 404. */
export type ProviderFetch = (request: ProviderRequest) => Promise<ProviderResponse>;

/** Tasks that fetch items. */
export type ItemTask =
  | "FETCH_ACCOUNTS"
  | "FETCH_BALANCES"
  | "FETCH_EXTERNAL_ACCOUNTS"
  | "FETCH_PAYMENTS"
  | "FETCH_ORDERS"
  | "FETCH_CONVERSIONS"
  /** Fetches items that are not stored and are parents of other tasks, such as profiles and users. */
  | "FETCH_OTHERS";

export type FetchTask = ItemTask | "CREATE_WEBHOOKS";

export interface FetchNode {
  readonly task: FetchTask;
  /** Whether the task runs again after each polling period; otherwise it runs once for each time that its parent gives an item. */
  readonly isPeriodic: boolean;
  readonly children: readonly FetchNode[];
}

export interface FetchRequest {
  /** The account of the parent task; undefined for a root task. */
  readonly parent?: ProviderAccount;
  /** The item of the parent task, if the parent is `FETCH_OTHERS`. */
  readonly other?: ParentItem;
  /** The connection of a user, whose data are fetched; undefined for a fetch of the connector's own data. */
  readonly connection?: LinkedUser;
  /** The state that the previous call returned, as JSON that only the plugin understands; undefined for the first call. */
  readonly state: unknown;
  readonly pageSize: number;
  /** The time of the call. */
  readonly now?: Timestamp;
}

/**
 * One page of a fetch. The state and the items are stored together; a page that could not be stored is fetched again with the old state.
 */
export interface FetchPage<Item> {
  readonly items: readonly Item[];
  readonly state: unknown;
  readonly hasMore: boolean;
  /** Items that could not be read. They are set aside, and the other items of the page are stored. See `kit/items.ts`. */
  readonly rejected?: readonly RejectedItem[];
  /** The ids of all values that could be read, with those that are left out. Earlier rejections of the same ids are resolved. */
  readonly read?: readonly string[];
}

export type AccountsPage = FetchPage<ProviderAccount>;
export type BalancesPage = FetchPage<ProviderBalance>;

export interface PaymentPage extends FetchPage<ProviderPayment> {
  /** References of payments that the provider has withdrawn. */
  readonly deleted?: readonly string[];
}

/** An account that takes part in a movement of money. */
export interface StoredAccount {
  readonly reference: string;
  readonly name?: string;
  readonly defaultAsset?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Movement {
  readonly type: "TRANSFER" | "PAYOUT";
  /** The idempotency key at the provider, unique in the installation: two calls with one reference move money once. */
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly description: string;
  readonly source?: StoredAccount;
  readonly destination?: StoredAccount;
  readonly amount: bigint;
  readonly asset: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The return of money that a movement has moved. The reference is the idempotency key. */
export interface Reversal {
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly description: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly movement: Movement;
}

/** What moves money: an initiation of one of the two types, or a reversal. */
export type MovementKind = Movement["type"] | "REVERSAL";

/** A movement that the provider is asked about. Its accounts need not be stored any more. */
export interface SoughtMovement extends Pick<
  Movement,
  "type" | "reference" | "createdAt" | "amount" | "asset"
> {
  readonly sourceReference?: string;
  readonly destinationReference?: string;
}

/** A movement that the provider has accepted: the id for polling the outcome, and when it was accepted, if the provider says so. */
export interface AcceptedMovement {
  readonly pollingId: string;
  readonly createdAt?: Timestamp;
}

/**
 * What a provider knows of a movement: the payment that it has made, or that it has accepted it; why it has failed; why the reference is that
 * of another order; "none" if the provider has certainly not accepted the movement; "unknown" if its answer does not say.
 */
export type FoundMovement =
  | { readonly payment: ProviderPayment }
  | AcceptedMovement
  | { readonly error: string }
  | { readonly otherOrder: string }
  | "none"
  | "unknown";

/** The payment that the provider has made, or an id for polling the outcome. */
export type MovementResult = { readonly payment: ProviderPayment } | { readonly pollingId: string };

/** The outcome of a movement, or that it is still pending. */
export type PollResult =
  | { readonly payment: ProviderPayment }
  | { readonly error: string }
  | { readonly pending: true };

/** A bank account with its numbers in clear, for the provider. */
export interface BankAccountDetails {
  readonly id: string;
  readonly createdAt: Timestamp;
  readonly name: string;
  readonly accountNumber?: string;
  readonly iban?: string;
  readonly swiftBicCode?: string;
  readonly country?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** One installation of a connector. Operations that the provider does not offer are absent. */
export interface Plugin {
  readonly fetchAccounts?: (request: FetchRequest) => Promise<AccountsPage>;
  readonly fetchExternalAccounts?: (request: FetchRequest) => Promise<AccountsPage>;
  readonly fetchBalances?: (request: FetchRequest) => Promise<BalancesPage>;
  readonly fetchPayments?: (request: FetchRequest) => Promise<PaymentPage>;
  readonly fetchOrders?: (request: FetchRequest) => Promise<FetchPage<ProviderOrder>>;
  readonly fetchConversions?: (request: FetchRequest) => Promise<FetchPage<ProviderConversion>>;
  readonly fetchOthers?: (request: FetchRequest) => Promise<FetchPage<ParentItem>>;
  readonly createTransfer?: (movement: Movement) => Promise<MovementResult>;
  readonly createPayout?: (movement: Movement) => Promise<MovementResult>;
  readonly pollTransfer?: (pollingId: string) => Promise<PollResult>;
  readonly pollPayout?: (pollingId: string) => Promise<PollResult>;
  /**
   * Asks by the reference what has become of a movement, and moves nothing. A restored copy asks before it sends what its original may have
   * sent. Throws `ConnectorError`; after any error, the question is asked again.
   */
  readonly findMovement?: (movement: SoughtMovement) => Promise<FoundMovement>;
  /** Asks by the reference what has become of a reversal, as `findMovement` does. */
  readonly findReversal?: (reversal: Reversal) => Promise<FoundMovement>;
  readonly reverseTransfer?: (reversal: Reversal) => Promise<ProviderPayment>;
  readonly reversePayout?: (reversal: Reversal) => Promise<ProviderPayment>;
  /** Registers a bank account at the provider. The id of the account is the idempotency key. */
  readonly createBankAccount?: (account: BankAccountDetails) => Promise<ProviderAccount>;
  readonly users?: UserPlugin;
  readonly webhooks?: WebhookPlugin;
  /**
   * Checks at the provider that the configuration gives access, before the connector is installed or changed. Throws `ConnectorError`,
   * which the client gets as `VALIDATION`.
   */
  readonly checkAccess?: () => Promise<void>;
  /** Removes all that the plugin has set up at the provider. A call may follow one that removed a part. */
  readonly uninstall?: (installation: InstalledWebhooks) => Promise<void>;
}

export interface InstalledWebhooks {
  /** The connector's id, as clients know it. */
  readonly connectorId: string;
  readonly webhooks: readonly RegisteredWebhook[];
}

/** A person or company on whose behalf the provider reads accounts. */
export interface PaymentUser {
  readonly id: string;
  readonly name: string;
  readonly country?: string;
  readonly locale?: string;
  readonly email?: string;
}

/** The provider's id of a user, and the token that acts for the user. */
export interface ForwardedUser {
  readonly providerUserId?: string;
  readonly accessToken?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface UserOfProvider {
  readonly user: PaymentUser;
  readonly forwarded: ForwardedUser;
}

/** A user of the provider, and one of the user's connections to banks. */
export interface LinkedUser extends UserOfProvider {
  readonly connectionId: string;
  readonly accessToken?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface LinkRequest extends UserOfProvider {
  readonly applicationName?: string;
  readonly clientRedirectUrl: string;
  /** The URL to which the provider sends the browser after the user has decided. */
  readonly redirectUrl: string;
  /** A value that the browser brings back, which identifies the attempt. */
  readonly state: string;
  readonly attemptId: string;
  /** The base URL of the connector's webhooks, without a slash at its end. */
  readonly webhookUrl: string;
}

export interface UserLink {
  readonly url: string;
  /** A short-lived token that the plugin needs to complete the link. */
  readonly temporaryToken?: string;
  readonly expiresAt?: Timestamp;
}

/** A request to the redirect endpoint, by the browser or by the provider. */
export interface LinkCallback extends UserOfProvider {
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly temporaryToken?: string;
}

export interface UserConnection {
  readonly connectionId: string;
  readonly createdAt: Timestamp;
  readonly accessToken?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The new connections of the user, or the reason why there are none. */
export type LinkOutcome =
  | { readonly connections: readonly UserConnection[] }
  | { readonly error: string };

/** Open banking: users and their connections to banks. */
export interface UserPlugin {
  readonly createUser: (user: PaymentUser) => Promise<ForwardedUser>;
  readonly createLink: (request: LinkRequest) => Promise<UserLink>;
  readonly updateLink: (request: LinkRequest & LinkedUser) => Promise<UserLink>;
  readonly completeLink: (callback: LinkCallback) => Promise<LinkOutcome>;
  readonly deleteConnection: (user: LinkedUser) => Promise<void>;
  readonly deleteUser: (user: UserOfProvider) => Promise<void>;
}
