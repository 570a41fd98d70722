import type { Authority } from "./authority.ts";

/** An application that may ask for tokens. */
export interface Client extends ClientFields {
  readonly id: string;
  readonly secrets: readonly ClientSecret[];
  /** Whether the client has all scopes of the modules; `scopes` are then those of the release that reads it. */
  readonly hasAllScopes: boolean;
  /** The authority of the maker of each redirect URI. A URI ends when the client gets more authority than its maker had. */
  readonly redirectUriMakers: ReadonlyMap<string, Authority>;
  /** A text that changes with the client's authority and its credentials. */
  readonly version: string;
}

/** The fields of a client that its owner sets. */
export interface ClientFields {
  readonly name: string;
  readonly description: string;
  /** Whether the client cannot keep a secret; such a client gets no token by a secret alone. */
  readonly public: boolean;
  readonly trusted: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** The scopes that the client may ask for. */
  readonly scopes: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ClientSecret {
  readonly id: string;
  readonly name: string;
  /** Base64 of the SHA-256 of the clear text. */
  readonly hash: string;
  readonly lastDigits: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The authority of the secret's maker. The secret ends when the client gets more authority than its maker had. */
  readonly maker: Authority;
}

/** The fields of a client that the token endpoint needs. */
export interface Credential {
  readonly clientId: string;
  readonly public: boolean;
  /** Whether the client may introspect the tokens of other clients. */
  readonly trusted: boolean;
  readonly scopes: readonly string[];
  /** Patterns of the only ledgers that the client's tokens reach; empty for all. */
  readonly ledgers: readonly string[];
  /** Whether the client may ask for logins by device codes. */
  readonly allowsDevices: boolean;
  readonly secretHashes: readonly string[];
}

/** Most clients; the list has no pages. */
export const CLIENTS_MAX = 1000;
/** Most secrets of one client; two are needed to replace one without a break. */
export const CLIENT_SECRETS_MAX = 20;
/** Largest request that describes a client or a secret, in bytes. */
export const CLIENT_BYTES_MAX = 64 * 1024;
/** Longest id of a client, in characters. */
export const CLIENT_ID_LENGTH_MAX = 128;
/** Longest name of a client or a secret, in UTF-16 units. */
export const NAME_LENGTH_MAX = 256;
/** Longest description of a client, in UTF-16 units. */
export const DESCRIPTION_LENGTH_MAX = 4096;
/** Longest redirect URI, in UTF-16 units. */
export const URI_LENGTH_MAX = 2048;
/** Longest scope, in UTF-16 units. */
export const SCOPE_LENGTH_MAX = 256;
/** Most items of each list of a client. */
export const CLIENT_LIST_MAX = 100;
