import type { Authority } from "./authority.ts";

/** A person who can log in. */
export interface EndUser {
  /** The `sub` of the person's tokens. */
  readonly id: string;
  /** The provider at which the person logs in; empty for our own login page. */
  readonly issuer: string;
  /** Who the person is for that provider. */
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Empty if it is not known. */
  readonly name: string;
  /** What the person's tokens may have of the scopes of the modules. */
  readonly scopes: readonly string[];
  /** Whether the person has all scopes of the modules, so that `scopes` has those of the release that reads it. */
  readonly hasAllScopes: boolean;
  /** What whoever vouches for the person's credentials could do; undefined where another provider does. */
  readonly vouchedBy: Authority | undefined;
  /** Changes with what the person may do and with who vouches for the credentials. */
  readonly version: string;
}

/** Most people; the list has no pages. */
export const PEOPLE_MAX = 10_000;
