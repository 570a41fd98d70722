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

/**
 * A kind of connector: what the catalogue says of it, and how it becomes a plugin for one installation. There is one folder
 * for each kind.
 */
export interface ConnectorKind {
  /** The path segment of its installation, in lower case: `generic`. */
  readonly key: string;
  readonly capabilities: readonly Capability[];
  /** How many items one call of a fetch asks for. */
  readonly pageSize: number;
  /** The fields of its configuration besides `name` and `pollingPeriod`, in the order in which they are checked. */
  readonly fields: readonly ConfigField[];
  /**
   * The binding of the deployment through which its requests go, if there is one of that name: to show a certificate, which the runtime does
   * not take from a program.
   */
  readonly certificateBinding?: string;
  /** Members that clients of the first generation require of a configuration besides. */
  readonly legacyConfig?: PluginConfig;
  /** What is polled, as a forest: a child runs once, or again and again, for each item of its parent. Siblings have different tasks. */
  readonly tree: readonly FetchNode[];
  /**
   * The reference of a movement as the provider shows it on what it has made, in `ProviderPayment.initiationReference`; the reference itself
   * where it is absent. It never changes, as it is stored with movements.
   */
  readonly shownReferenceOf?: (reference: string) => string;
  /**
   * Splits deliveries, where the provider may say in one what is too much to be stored at once. It belongs to the kind, because a kind that
   * has it takes larger bodies: that has to be known before one is read.
   */
  readonly splitWebhook?: SplitWebhook;
  /** Only checks the configuration; the first request goes to the provider later. Throws `ConnectorError` for a bad one. */
  readonly create: (config: PluginConfig, ports: PluginPorts) => Plugin;
}

/** What a plugin needs besides its configuration. */
export interface PluginPorts {
  /** Calls the provider within the limits of time, size and the outbound policy. */
  readonly fetch: ProviderFetch;
  readonly clock: Clock;
  readonly store: PluginStore;
  /** Where the API of the provider is, if the deployment names another place than the usual one: its sandbox. */
  readonly baseUrl?: string;
}

/** Named texts that a plugin keeps for its installation, encrypted; they go when it is uninstalled. Names are not. */
export interface PluginStore {
  readonly find: (name: string) => Promise<string | undefined>;
  /** All whose names begin so, in the order of their names. */
  readonly list: (prefix: string) => Promise<readonly StoredText[]>;
  /** Stores all of them, or none if the first one is there already; returns whether it did. */
  readonly insert: (...texts: readonly [StoredText, ...StoredText[]]) => Promise<boolean>;
  /** Deletes those whose names begin so. */
  readonly remove: (prefix: string) => Promise<void>;
}

export interface StoredText {
  readonly name: string;
  readonly value: string;
}

/** A request to the provider. */
export interface ProviderRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it changes nothing, although its method says otherwise: a search, or a login. */
  readonly isRead?: boolean;
  /** How long the provider may take, in milliseconds; 10 s where it is absent, and 40 s at most. */
  readonly timeoutMs?: number;
  /** What an error answer means, where its status alone does not say. Undefined for all that it does not know. */
  readonly errorKindOf?: (answer: ProviderResponse) => ConnectorErrorKind | undefined;
}

/** A successful answer of the provider, or 404. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What it answers, for errors: the method and the path of the request, without its parameters and without secrets. */
  readonly request: string;
}

/** Throws `ConnectorError` where there is no answer, or one that says that the request failed. */
export type ProviderFetch = (request: ProviderRequest) => Promise<ProviderResponse>;

export type FetchTask =
  | "FETCH_ACCOUNTS"
  | "FETCH_BALANCES"
  | "FETCH_EXTERNAL_ACCOUNTS"
  | "FETCH_PAYMENTS"
  | "FETCH_ORDERS"
  | "FETCH_CONVERSIONS"
  /** Items that are not stored, and that others hang on: profiles, users. */
  | "FETCH_OTHERS"
  | "CREATE_WEBHOOKS";

/** A node of the tree of tasks. */
export interface FetchNode {
  readonly task: FetchTask;
  /** Whether it runs again after each polling period; if not, it runs once for each time that its parent gives the item. */
  readonly isPeriodic: boolean;
  readonly children: readonly FetchNode[];
}

/** What a call of a fetch is given. */
export interface FetchRequest {
  /** The account of the parent task that is fetched for; undefined for a root task. */
  readonly parent?: ProviderAccount;
  /** The item of the parent task, where that is `FETCH_OTHERS`. */
  readonly other?: ParentItem;
  /** The connection of a user that is fetched for; undefined where what the connector itself sees is meant. */
  readonly connection?: LinkedUser;
  /** What the call before has given as its state; undefined for the first one. JSON that only the plugin understands. */
  readonly state: unknown;
  readonly pageSize: number;
  /** When the call is made; absent where nobody says. */
  readonly now?: Timestamp;
}

/** One page. The state and the items are stored together; a page whose storing fails is asked for again with the old state. */
export interface FetchPage<Item> {
  readonly items: readonly Item[];
  readonly state: unknown;
  readonly hasMore: boolean;
  /** What could not be read of it: it is set aside, and the others are stored. See `kit/items.ts`. */
  readonly rejected?: readonly RejectedItem[];
  /** The ids of all that could be read, also of what is left out: what was set aside of it before is settled. */
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

/** A movement of money that the plugin has to make. */
export interface Movement {
  readonly type: "TRANSFER" | "PAYOUT";
  /** Unique in the installation, and the idempotency key at the provider: two calls with one reference move money once. */
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly description: string;
  readonly source?: StoredAccount;
  readonly destination?: StoredAccount;
  readonly amount: bigint;
  readonly asset: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A movement back. Its reference is an idempotency key as well. */
export interface Reversal {
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly description: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly movement: Movement;
}

/** The provider has made a payment of it, or names an id under which the outcome can be asked for. */
export type MovementResult = { readonly payment: ProviderPayment } | { readonly pollingId: string };

/** What is known of a movement that takes time. */
export type PollResult =
  | { readonly payment: ProviderPayment }
  | { readonly error: string }
  | { readonly pending: true };

/** A bank account in clear, for the provider. */
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

/** One installation of a connector at work. An operation that is absent is one that the provider does not offer. */
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
  readonly reverseTransfer?: (reversal: Reversal) => Promise<ProviderPayment>;
  readonly reversePayout?: (reversal: Reversal) => Promise<ProviderPayment>;
  /** May be called again for the same account, whose id is the idempotency key. */
  readonly createBankAccount?: (account: BankAccountDetails) => Promise<ProviderAccount>;
  readonly users?: UserPlugin;
  readonly webhooks?: WebhookPlugin;
  /**
   * Asks the provider whether the configuration lets the connector in, before it is installed or changed. Throws `ConnectorError`, which
   * the client gets as `VALIDATION`.
   */
  readonly checkAccess?: () => Promise<void>;
  /** Removes what the plugin has set up at the provider. It may be called again after it has removed a part. */
  readonly uninstall?: (installation: InstalledWebhooks) => Promise<void>;
}

/** What an installation has registered. */
export interface InstalledWebhooks {
  /** As clients know it. */
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

/** What the provider knows a user by. */
export interface ForwardedUser {
  readonly providerUserId?: string;
  readonly accessToken?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A user, and what the provider knows that user by. */
export interface UserOfProvider {
  readonly user: PaymentUser;
  readonly forwarded: ForwardedUser;
}

/** A user of the provider, and one of the connections to banks. */
export interface LinkedUser extends UserOfProvider {
  readonly connectionId: string;
  readonly accessToken?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface LinkRequest extends UserOfProvider {
  readonly applicationName?: string;
  readonly clientRedirectUrl: string;
  /** Where the provider sends the browser when the user has decided. */
  readonly redirectUrl: string;
  /** Comes back with the browser, and tells which attempt it is. */
  readonly state: string;
  readonly attemptId: string;
  /** The URL below which the connector's webhooks are taken, without a slash at its end. */
  readonly webhookUrl: string;
}

export interface UserLink {
  readonly url: string;
  /** What the plugin needs to complete the link, such as a short-lived token. */
  readonly temporaryToken?: string;
  readonly expiresAt?: Timestamp;
}

/** What the browser, or the provider, has brought to the redirect endpoint. */
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

/** The user was linked, or the attempt has ended without it. */
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
