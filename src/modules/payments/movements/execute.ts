import { completeMovement } from "./complete.ts";
import {
  type Execution,
  readExecution,
  toProviderMovement,
  toProviderReversal,
  toSoughtMovement,
} from "./execution.ts";
import { isOwn, olderThan, storeFound } from "./found.ts";
import { holdMovements } from "./hold.ts";
import { storeFailure, storePayment } from "./outcome.ts";
import { applyPaymentUpdates } from "./payment-updates.ts";
import { pollLater, postpone, postponeForRateLimit, undoClaim } from "./postpone.ts";
import { Trust } from "./trust.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  AcceptedMovement,
  FoundMovement,
  MovementResult,
  Plugin,
  PollResult,
  Reversal,
} from "#modules/payments/connectors/contract.ts";
import {
  paymentProblem,
  type ProviderPayment,
} from "#modules/payments/connectors/provider-objects.ts";
import { deleteMovement, type MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { retryOnConflict, findInitiationByKey } from "#modules/payments/initiations/store.ts";
import { prepareTransition } from "#modules/payments/initiations/transition.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { isDecidedUnpaid } from "#modules/payments/lookups/askable.ts";
import { findLookup } from "#modules/payments/lookups/lookup-rows.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { logError } from "#platform/log.ts";
import { runCausedBy } from "#platform/tracing/cause.ts";

/** Opens the plugin of an installation. */
export type OpenPlugin = (
  context: ServiceContext,
  connector: InstalledConnector,
) => Promise<Plugin>;

/**
 * Does the next step of a claimed movement: calls the provider and stores the outcome, if there is one yet.
 *
 *     approve, retry, reverse ──> due ──── claim ────> claimed, for 60 s ── payment, refusal ──> outcome stored,
 *                                  ^                       │      ^                              row deleted
 *                                  │                       │      └── a page or webhook brings the payment
 *                                  ├── no outcome: 1, 2, 4 … 100 s
 *                                  ├── the connector is disarmed: nothing was sent, and the claim is undone; the
 *                                  │   initiation is PROCESSING, and its event says so
 *                                  ├── rate limit: the pause that the provider asks for
 *                                  ├── pending: the polling period; then the call asks for the outcome
 *                                  └── cut off: when the claim has expired
 *
 * Never throws an error of the provider: the next claim of the movement repeats the step.
 */
export async function execute(
  executing: ServiceContext,
  openPlugin: OpenPlugin,
  movement: MovementRow,
): Promise<void> {
  const execution = await readExecution(executing, movement);
  if (execution === undefined) return dropOrphan(executing, movement);
  await runCausedBy(execution.initiation.cause, () => executeFor(executing, openPlugin, execution));
}

/** Executes a movement of an initiation that is still there. */
async function executeFor(
  executing: ServiceContext,
  openPlugin: OpenPlugin,
  execution: Execution,
): Promise<void> {
  const { movement } = execution;
  // If a page or a webhook has brought the payment, the provider need not be called.
  if (movement.shown !== null && (await completeMovement(executing, movement))) return;
  const context = { ...executing, causationDepth: execution.initiation.causationDepth };
  try {
    const result = await call(context, openPlugin, await started(context, execution));
    if (result !== undefined) await store(context, execution, result);
  } catch (error) {
    if (isHeld(error)) await undoClaim(context, movement);
    else await handle(context, execution, error);
  }
  await applyPaymentUpdates(context, movement.initiationKey);
}

/**
 * Deletes the movement of an initiation that does not exist any more. Movements of a connector that is being uninstalled
 * are deleted with the connector.
 */
async function dropOrphan(context: ServiceContext, movement: MovementRow): Promise<void> {
  const initiation = await findInitiationByKey(context, movement.initiationKey);
  if (initiation === undefined) await deleteMovement(context, movement);
}

/** The execution of a movement whose initiation has left `SCHEDULED_FOR_PROCESSING`. */
function started(context: ServiceContext, execution: Execution): Promise<Execution> {
  return retryOnConflict(async () => {
    const current = (await readExecution(context, execution.movement)) ?? execution;
    const { statements, events, initiation } = prepareTransition(context, {
      initiation: current.initiation,
      trigger: { kind: "start" },
    });
    if (statements.length > 0) await Outbox.from(context).publish({ change: statements, events });
    return { ...current, initiation };
  });
}

type Result = MovementResult | PollResult;
/** A result with an outcome. */
type EndedResult = { readonly payment: ProviderPayment } | { readonly error: string };

/**
 * Asks the provider to make the movement, or for its outcome. Undefined for a movement that has ended meanwhile, or about which a person has
 * to decide first. Throws `ConnectorError`, and any error of a plugin.
 */
async function call(
  context: ServiceContext,
  openPlugin: OpenPlugin,
  execution: Execution,
): Promise<Result | undefined> {
  const { connector, initiation, movement, reversal } = execution;
  const isTransfer = initiation.type === "TRANSFER";
  const asked = await toProviderMovement(context, execution);
  const plugin = await openPlugin(context, connector);
  const { provider } = connector.id;
  // A page can have brought the outcome only of a movement that was called before.
  if (movement.claims > 1 && (await readExecution(context, movement)) === undefined) return;
  if (reversal !== undefined) {
    const reverse = isTransfer ? plugin.reverseTransfer : plugin.reversePayout;
    if (reverse === undefined) throw notOffered(provider, "reversals");
    const wanted = toProviderReversal(asked, reversal);
    const made = await findReversalBefore(context, plugin, { movement, reversal: wanted });
    if (made === "pending") throw new ConnectorError("unknown", "the reversal is still pending");
    return made ?? { payment: await reverse(wanted) };
  }
  if (movement.pollingId !== null) {
    const poll = isTransfer ? plugin.pollTransfer : plugin.pollPayout;
    if (poll === undefined) throw notOffered(provider, "polling of an outcome");
    return poll(movement.pollingId);
  }
  const known = await findBefore(context, plugin, execution);
  if (known === "done") return undefined;
  if (known !== undefined) return known;
  const create = isTransfer ? plugin.createTransfer : plugin.createPayout;
  if (create === undefined) throw notOffered(provider, isTransfer ? "transfers" : "payouts");
  return create(asked);
}

/**
 * What the provider knows of a movement before a call for it, where the connector of a restored copy can ask: a workflow that the copy
 * continues may order what the original has paid. Undefined for nothing, and where nobody asks; "done" if its payment is stored, or if a person
 * has to decide first, because what the provider knows is older than the order, or another one's. Throws `ConnectorError`; that the question is
 * refused does not say that the movement is.
 */
async function findBefore(
  context: ServiceContext,
  { findMovement }: Plugin,
  { movement, initiation }: Execution,
): Promise<Result | "done" | undefined> {
  if (findMovement === undefined) return undefined;
  const lookup = await findLookup(context, movement.connectorKey);
  if (lookup === undefined || lookup.isSkipped) return undefined;
  const sought = toSoughtMovement(initiation);
  const found = await askBefore((reference) => findMovement({ ...sought, reference }), sought);
  if (typeof found === "string") return undefined;
  if ("otherOrder" in found) throw otherOrder(found.otherOrder);
  if ("error" in found) return found;
  const reason =
    olderThan(initiation, found) ?? (await settleBefore(context, { movement, initiation }, found));
  if (reason === undefined) return "payment" in found ? "done" : found;
  const { initiationKey, connectorKey, key: movementKey } = movement;
  const order = { initiationKey, reversalKey: null };
  // A person knows of it, and has found that it is another order.
  if (await isDecidedUnpaid(context, lookup, order)) return undefined;
  await holdMovements(context, { ...order, connectorKey, movementKey, reason });
  return "done";
}

/** Stores the payment that the provider has found before a call. Returns why a person has to decide if it is another initiation's. */
async function settleBefore(
  context: ServiceContext,
  { movement, initiation }: Pick<Execution, "movement" | "initiation">,
  found: AcceptedMovement | { readonly payment: ProviderPayment },
): Promise<string | undefined> {
  if (!("payment" in found)) return undefined;
  const { payment } = found;
  assertValid(payment);
  if (!isOwn(initiation, payment)) throw otherOrder(payment.reference);
  return storeFound(context, movement, payment);
}

/**
 * What the provider knows of a reversal before a call for it, where the connector of a restored copy can ask. Undefined for nothing. Throws
 * `ConnectorError`; that the question is refused does not say that the reversal is.
 */
async function findReversalBefore(
  context: ServiceContext,
  { findReversal }: Plugin,
  { movement, reversal }: { readonly movement: MovementRow; readonly reversal: Reversal },
): Promise<EndedResult | "pending" | undefined> {
  if (findReversal === undefined) return undefined;
  const lookup = await findLookup(context, movement.connectorKey);
  if (lookup === undefined || lookup.isSkipped) return undefined;
  const found = await askBefore((reference) => findReversal({ ...reversal, reference }), reversal);
  if (typeof found === "string") return undefined;
  if ("pollingId" in found) return "pending";
  if ("error" in found) return found;
  if ("otherOrder" in found) throw otherOrder(found.otherOrder);
  const { payment } = found;
  if (payment.asset === reversal.asset && payment.amount <= reversal.amount) return found;
  throw otherOrder(payment.reference);
}

/** Asks before a call. Throws `ConnectorError`; a refusal of the question becomes "unknown", so that the movement does not fail by it. */
async function askBefore(...question: Parameters<Trust["answer"]>): Promise<FoundMovement> {
  try {
    return await new Trust().answer(...question);
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.kind !== "invalid") throw error;
    throw new ConnectorError("unknown", error.message, { cause: error });
  }
}

/** The error of an order whose reference the provider has from another one. Nothing was sent. */
const otherOrder = (what: string): ConnectorError =>
  new ConnectorError("invalid", `the provider knows the reference from another order, ${what}`);

const notOffered = (provider: string, what: string): ConnectorError =>
  new ConnectorError("invalid", `the provider ${provider} offers no ${what}`);

async function store(context: ServiceContext, execution: Execution, result: Result): Promise<void> {
  const { movement } = execution;
  if ("error" in result) return storeFailure(context, movement, result.error);
  if ("payment" in result) {
    assertValid(result.payment);
    if (await isDoubtful(context, execution, result.payment)) return;
    return storePayment(context, movement, result.payment);
  }
  const pollingId = "pollingId" in result ? result.pollingId : movement.pollingId;
  if (pollingId === null) {
    throw new Error("only a movement that the provider has accepted is pending");
  }
  return pollLater(context, execution, pollingId);
}

/** Throws `ConnectorError` for a payment that is not valid. The money may have moved, so the movement has not failed: the provider is called again. */
function assertValid(payment: ProviderPayment): void {
  const problem = paymentProblem(payment);
  if (problem === undefined) return;
  throw new ConnectorError("unknown", `the provider's answer is not valid: ${problem}`);
}

/**
 * Whether the payment with which the provider answers a restored copy is of other money than was ordered, or older. A call is answered so if the
 * reference is that of an earlier order, and the provider gives the first answer again; a poll, if what is polled is that earlier order. Then the
 * order is not settled, the movement is held for a person, also after an earlier decision, and no id is polled any more.
 */
async function isDoubtful(
  context: ServiceContext,
  { movement, initiation }: Execution,
  payment: ProviderPayment,
): Promise<boolean> {
  const { key: movementKey, initiationKey, connectorKey, reversalKey, pollingId } = movement;
  if (reversalKey !== null) return false;
  const what = isOwn(initiation, payment)
    ? olderThan(initiation, { payment })
    : `the provider answers with another payment: ${payment.reference}, of ${payment.amount} ${payment.asset}`;
  if (what === undefined || (await findLookup(context, connectorKey)) === undefined) return false;
  const reason = pollingId === null ? `${what}; ${NOTHING_SENT}` : what;
  const order = { initiationKey, connectorKey, reversalKey, movementKey };
  await holdMovements(context, { ...order, reason }, { pollingId: null });
  return true;
}

/** What a person does about an order whose call the provider has answered with an earlier payment. */
const NOTHING_SENT =
  "the provider has answered the call for this order so: if that payment is another order's, give this order up and make one with another reference";

/** Added to a refusal after requests without an answer, because the refusal does not say what became of those requests. */
const UNANSWERED =
  "; an earlier request had no answer, so that the provider may have moved the money: a retry does not move it twice, and a new payment initiation would";

/**
 * Stores the failure after a refusal, which alone says that the money was not moved. After any other error, the call is
 * repeated later.
 */
async function handle(
  context: ServiceContext,
  execution: Execution,
  error: unknown,
): Promise<void> {
  const { movement, connector } = execution;
  if (error instanceof ConnectorError && error.kind === "invalid") {
    const doubt = movement.failures === 0 ? "" : UNANSWERED;
    return storeFailure(context, movement, `${error.message}${doubt}`);
  }
  logError("the outcome of a payment initiation is not known yet; the call is repeated", error, {
    provider: connector.id.provider,
    movement: movement.key,
    failures: movement.failures,
  });
  if (error instanceof ConnectorError && error.kind === "rate-limited") {
    await postponeForRateLimit(context, execution, error);
  } else {
    await postpone(context, execution, error);
  }
}
