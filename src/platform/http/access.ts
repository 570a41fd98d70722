import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Scope } from "./authenticator.ts";
import type { AppEnv } from "./context.ts";
import { assertLedgerAllowed, outOfReach } from "#platform/access/ledger-patterns.ts";
import { systemClock } from "#platform/clock.ts";
import { ANONYMOUS, type Principal, type ServiceContext } from "#platform/context.ts";

type LedgerOf = (env: Env) => string;

const honouring = new WeakMap<OpenAPIHono<AppEnv>, { readonly ledgerOf: LedgerOf | undefined }>();

/**
 * An app all of whose operations honour the ledgers that a token is bound to (`EndpointSpec.honoursLedgers`), or are about the
 * one ledger that is given.
 */
export function honourLedgers(app: OpenAPIHono<AppEnv>, ledgerOf?: LedgerOf): OpenAPIHono<AppEnv> {
  honouring.set(app, { ledgerOf });
  return app;
}

/** What an operation asks of a token. */
export interface Access {
  readonly scope: Scope | "public";
  readonly namesLedger: boolean;
  /** Whether a token that is bound to ledgers may call it although its path names none. */
  readonly isOpen: boolean;
  /** The ledger that it is about, where the settings name it. */
  readonly ledgerOf: LedgerOf | undefined;
}

interface GuardedSpec {
  readonly path: string;
  readonly scope: Scope | "public";
  readonly honoursLedgers?: boolean;
}

export const accessOf = (
  app: OpenAPIHono<AppEnv>,
  { path, scope, honoursLedgers = honouring.has(app) }: GuardedSpec,
): Access => ({
  scope,
  namesLedger: path.includes("{ledger}"),
  isOpen: honoursLedgers,
  ledgerOf: honouring.get(app)?.ledgerOf,
});

/** Checks the token, where one is needed: without waiting, where it is known. */
export function contextOf(
  c: Context<AppEnv>,
  access: Access,
): ServiceContext | Promise<ServiceContext> {
  const { id: requestId, deployment } = c.get("request");
  const toContext = (principal: Principal): ServiceContext => {
    if (principal.ledgers.length > 0) assertReaches(principal, access, c);
    return { env: c.env, principal, requestId, clock: systemClock };
  };
  if (access.scope === "public") return toContext(ANONYMOUS);
  const principal = deployment.authenticate(c.req.raw, access.scope);
  return principal instanceof Promise ? principal.then(toContext) : toContext(principal);
}

function assertReaches(
  principal: Principal,
  { namesLedger, isOpen, ledgerOf }: Access,
  c: Context<AppEnv>,
): void {
  if (namesLedger) assertLedgerAllowed(principal, c.req.param("ledger") ?? "");
  else if (ledgerOf !== undefined) assertLedgerAllowed(principal, ledgerOf(c.env));
  else if (!isOpen) {
    throw outOfReach("the token is bound to ledgers, and this operation reaches others, too");
  }
}
