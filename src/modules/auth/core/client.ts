import type { Authority } from "./authority.ts";

/** An application that may ask for tokens. */
export interface Client extends ClientFields {
  readonly id: string;
  readonly secrets: readonly ClientSecret[];
  /** Whether it has all scopes of the modules, so that `scopes` has those of the release that reads it. */
  readonly hasAllScopes: boolean;
  /** By redirect URI, what whoever has added it could do. One does not count for a client that may do more. */
  readonly redirectUriMakers: ReadonlyMap<string, Authority>;
  /** Changes with what it may do and with its credentials. */
  readonly version: string;
}

/** What its owner decides. */
export interface ClientFields {
  readonly name: string;
  readonly description: string;
  /** A public client cannot keep a secret, so it cannot get a token with one. */
  readonly public: boolean;
  readonly trusted: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** What it may ask for. */
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
  /** What whoever has made it could do. It does not count for a client that may do more. */
  readonly maker: Authority;
}

/** What the token endpoint needs to know of a client. */
export interface Credential {
  readonly clientId: string;
  readonly public: boolean;
  /** Whether it may introspect the tokens of other clients. */
  readonly trusted: boolean;
  readonly scopes: readonly string[];
  /** Patterns of the only ledgers that its tokens reach; empty for all. */
  readonly ledgers: readonly string[];
  readonly secretHashes: readonly string[];
}

/** Most clients; the list has no pages. */
export const CLIENTS_MAX = 1000;
/** Most secrets of one client; two are needed to replace one without a break. */
export const CLIENT_SECRETS_MAX = 20;
/** Largest request that describes a client or a secret, in bytes. */
export const CLIENT_BYTES_MAX = 64 * 1024;
/** Longest id, in characters. */
export const CLIENT_ID_LENGTH_MAX = 128;
/** Longest name, in UTF-16 units. */
export const NAME_LENGTH_MAX = 256;
/** Longest description, in UTF-16 units. */
export const DESCRIPTION_LENGTH_MAX = 4096;
/** Longest redirect URI, in UTF-16 units. */
export const URI_LENGTH_MAX = 2048;
/** Longest scope, in UTF-16 units. */
export const SCOPE_LENGTH_MAX = 256;
/** Most items of each list of a client. */
export const CLIENT_LIST_MAX = 100;
