import type { Authority } from "./authority.ts";

/** A person who can log in. */
export interface EndUser {
  /** The `sub` of the person's tokens. */
  readonly id: string;
  /** The provider at which the person logs in; empty for our own login page. */
  readonly issuer: string;
  /** The id of the person at the provider. */
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** The name of the person; empty if it is not known. */
  readonly name: string;
  /** The scopes of the modules that the person's tokens may have. */
  readonly scopes: readonly string[];
  /** Whether the person has all scopes of the modules; `scopes` are then those of the release that reads it. */
  readonly hasAllScopes: boolean;
  /** Patterns of the only ledgers that the person's tokens reach; empty for all. */
  readonly ledgers: readonly string[];
  /** The authority of the maker of the link to which the credentials go back; undefined if another provider vouches for the person. */
  readonly vouchedBy: Authority | undefined;
  /** A text that changes with the person's authority, and with who vouches for the credentials. */
  readonly version: string;
}

/** Most people; the list has no pages. */
export const PEOPLE_MAX = 10_000;
