import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { refusalOf, type Scope } from "./authenticator.ts";
import type { AppEnv, RequestFacts } from "./context.ts";
import { isInternal } from "./internal-calls.ts";
import { addressOf } from "./sender/address.ts";
import { assertLedgerAllowed, outOfReach } from "#platform/access/ledger-patterns.ts";
import { admissionOf, payerOf, anonymousPayer } from "#platform/admission/admission.ts";
import type { Payer, Ticket } from "#platform/admission/fair-gate.ts";
import type { QuotaUse } from "#platform/admission/quotas.ts";
import { WORK_KINDS, type WorkKind } from "#platform/admission/work-kinds.ts";
import { systemClock } from "#platform/clock.ts";
import { ANONYMOUS, type Principal, type ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { waitForLull } from "#platform/work/turns.ts";

type LedgerOf = (env: Env) => string;

const honouring = new WeakMap<OpenAPIHono<AppEnv>, { readonly ledgerOf: LedgerOf | undefined }>();

/**
 * Marks an app: all its operations honour the ledgers that a token is bound to (`EndpointSpec.honoursLedgers`), or concern the single
 * ledger that `ledgerOf` gives.
 */
export function honourLedgers(app: OpenAPIHono<AppEnv>, ledgerOf?: LedgerOf): OpenAPIHono<AppEnv> {
  honouring.set(app, { ledgerOf });
  return app;
}

/** The requirements of an operation on a token. */
export interface Access {
  readonly scope: Scope | "public";
  readonly namesLedger: boolean;
  /** Whether a token that is bound to ledgers may call an operation whose path names no ledger. */
  readonly isOpen: boolean;
  /** The single ledger of the operation, if the settings name one. */
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

/**
 * Checks the token of a request that needs one, counts it in the quota of its client, and takes a ticket for its work, without waiting if the
 * token is known, the quota's tokens are here and a place is free. Throws `UNAUTHENTICATED` and `RATE_LIMITED`.
 */
export function enter(
  c: Context<AppEnv>,
  access: Access,
  kind: WorkKind,
): Promise<void> | undefined {
  const context = contextOf(c, access);
  if (context instanceof Promise) return enterLater(c, context, { access, kind });
  c.set("context", context);
  const counting = count(c, access);
  return counting === undefined ? takePlace(c, kind) : counting.then(() => takePlace(c, kind));
}

async function enterLater(
  c: Context<AppEnv>,
  context: Promise<ServiceContext>,
  { access, kind }: { readonly access: Access; readonly kind: WorkKind },
): Promise<void> {
  c.set("context", await context);
  await count(c, access);
  await takePlace(c, kind);
}

/** Counts a request in its client's quota. An internal request is not counted, because it belongs to one that was. */
function count(c: Context<AppEnv>, { scope }: Access): Promise<void> | undefined {
  if (scope === "public" || isInternal(c.req.raw)) return undefined;
  const request = c.get("request");
  const take = (quota: QuotaUse | undefined): Promise<void> | undefined => {
    request.quota = quota;
    return quota?.takeRequest(!scope.endsWith(":read"));
  };
  const quota = request.deployment.quotas.useOf(c.get("context").principal);
  return quota instanceof Promise ? quota.then(take) : take(quota);
}

function contextOf(c: Context<AppEnv>, access: Access): ServiceContext | Promise<ServiceContext> {
  const { id: requestId, deployment } = c.get("request");
  const toContext = (principal: Principal): ServiceContext => {
    if (principal.ledgers.length > 0) assertWithin(principal, access, c);
    const { readOwnApi } = deployment;
    return { env: c.env, principal, requestId, clock: systemClock, readOwnApi };
  };
  if (access.scope === "public") return toContext(ANONYMOUS);
  const principal = deployment.authenticate(c.req.raw, access.scope);
  return principal instanceof Promise ? principal.then(toContext) : toContext(principal);
}

/** Throws for a request beyond the ledgers that a token is bound to. */
function assertWithin(principal: Principal, access: Access, c: Context<AppEnv>): void {
  try {
    assertReaches(principal, access, c);
  } catch (error) {
    throw error instanceof AppError ? refusalOf(principal, error) : error;
  }
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

/** Takes a ticket for a request. An internal request needs none, because it belongs to work with a ticket. */
function takePlace(c: Context<AppEnv>, kind: WorkKind): Promise<void> | undefined {
  if (isInternal(c.req.raw)) return undefined;
  const request = c.get("request");
  const ticket = admissionOf(c.env).enter(kind, payerFor(c));
  if (kind === "stream" && request.quota !== undefined) {
    return holdStream(request, request.quota, ticket);
  }
  if (ticket instanceof Promise) return holdLater(request, ticket);
  request.ticket = ticket;
  return WORK_KINDS[kind].isLong ? waitForLull() : undefined;
}

async function holdLater(request: RequestFacts, ticket: Promise<Ticket>): Promise<void> {
  request.ticket = await ticket;
}

/** Takes a place among the client's open streams besides the ticket, which is released if there is none. */
async function holdStream(
  request: RequestFacts,
  quota: QuotaUse,
  entering: Ticket | Promise<Ticket>,
): Promise<void> {
  const ticket = await entering;
  request.ticket = ticket;
  const place = await quota.openStream();
  request.ticket = {
    keep: () => place.keep(),
    release: () => {
      ticket.release();
      place.release();
    },
  };
}

/** Counts elements of a bulk in the client's quota, before they are executed. Gives nothing where they are counted at once. Throws `RATE_LIMITED`. */
export const takeElements = (c: Context<AppEnv>, elements: number): Promise<void> | undefined =>
  c.get("request").quota?.takeElements(elements);

/** What makes a body that is still arriving wait for the client's quota of elements, before each of them; undefined without a quota. */
export function elementPace(c: Context<AppEnv>): (() => Promise<void> | undefined) | undefined {
  const { quota } = c.get("request");
  return quota === undefined ? undefined : () => quota.paceElement();
}

/** Does a part of a request's work in the budget of its kind. Throws `RATE_LIMITED` before the work. */
export const inBudget = <T>(
  c: Context<AppEnv>,
  kind: WorkKind,
  work: () => Promise<T>,
): Promise<T> => (isInternal(c.req.raw) ? work() : admissionOf(c.env).run(kind, payerFor(c), work));

function payerFor(c: Context<AppEnv>): Payer {
  const { principal } = c.get("context");
  return principal === ANONYMOUS ? anonymousPayer(addressOf(c.req.raw, c.env)) : payerOf(principal);
}
