import { boundLedgers, may, session } from "#console/api/florin.ts";

/** Whether the person may change clients and people, whom the person's own authority limits further. */
export const mayChangeAccess = (): boolean => may("auth:write") && boundLedgers().length === 0;

/** The scopes of a set that the person lacks, and so can neither give nor touch. */
export const lackingOf = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => !EVERYBODYS.has(scope) && !may(scope));

/** Scopes of OpenID Connect, which everybody has. */
const EVERYBODYS: ReadonlySet<string> = new Set([
  "openid",
  "profile",
  "email",
  "phone",
  "address",
  "offline_access",
]);

/** Whether an id is that of the person who looks. */
export const isMyself = (id: string): boolean =>
  session.state.kind === "person" && session.state.grant.subject === id;
