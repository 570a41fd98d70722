import { eq, sql } from "drizzle-orm";
import { type Arming, readArmingOf } from "./read.ts";
import {
  beginLookup,
  beginLookups,
  connectorNamed,
  countOpenOrders,
  forgetLookups,
  type NamedConnector,
  type OpenOrderCount,
  readLookups,
  refreshConnector,
  skipLookups,
} from "#modules/payments/index.ts";
import { untilAllIsolatesKnow } from "#platform/arming/isolates.ts";
import { armedConnectors, disarmament, type DisarmReason } from "#platform/arming/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";

/** What the state of the deployment is, in the audit. */
const DEPLOYMENT = "deployment";

export interface Disarming {
  readonly reason: DisarmReason;
  /** What the operator notes about it; empty for nothing. */
  readonly note: string;
}

export interface ArmingOrder {
  /** The id of the only connector that is armed; absent for everything. */
  readonly connectorId?: string | undefined;
  /** Whether the operator says that the original of a restored deployment is stopped. */
  readonly originalIsStopped: boolean;
  /**
   * Whether the operator leaves the look-up out: what is open in a restored deployment is sent, although the original may have sent it after the
   * moment of the copy.
   */
  readonly mayPayTwice: boolean;
  /** The revision that the operator has seen; absent for whichever it is. */
  readonly revision?: string | undefined;
}

/** Most connectors that a refusal names. */
const NAMED_MAX = 10;

/**
 * Disarms the deployment, with all connectors that were armed by themselves. A deployment that is disarmed already keeps the time since when it
 * is, gets a new revision, note and author, and becomes a restored one if this is the reason now. The answer comes when no isolate goes by an earlier state any more: from then on,
 * no call begins.
 *
 *     disarm ─► D1 ── 2 s ──► answer
 *                │    └─ isolates go by what they have read before, 2 s at most
 *                └─ statements that claim movements of money and jobs know it at once
 */
export async function disarm(
  context: ServiceContext,
  { reason, note }: Disarming,
): Promise<Arming> {
  const change = new AuditedChange(context, {
    action: "deployment.state.disarm",
    object: DEPLOYMENT,
    note: note === "" ? reason : `${reason}: ${note}`,
  });
  await change.store(...disarmingStatements(context, { reason, note }));
  await untilAllIsolatesKnow();
  return readArmingOf(context);
}

/** The statements that disarm the deployment, with all connectors that are armed by themselves. They belong into one batch. */
export function disarmingStatements(context: ServiceContext, { reason, note }: Disarming) {
  const { env, clock } = context;
  const db = databaseOf(env);
  return [
    db
      .insert(disarmament)
      .values({
        id: 1,
        since: clock(),
        reason,
        note,
        ...actorOf(context),
        revision: crypto.randomUUID(),
      })
      .onConflictDoUpdate({
        target: disarmament.id,
        set: {
          reason: sql`CASE WHEN excluded.reason = 'restored' THEN 'restored' ELSE reason END`,
          note: sql`CASE WHEN excluded.note = '' THEN note ELSE excluded.note END`,
          issuer: sql`excluded.issuer`,
          subject: sql`excluded.subject`,
          clientId: sql`excluded.client_id`,
          revision: sql`excluded.revision`,
        },
      }),
    db.delete(armedConnectors),
    // The deployment may be a copy once more, whose original knows more than that of the former one.
    ...(reason === "restored" ? [forgetLookups(context)] : []),
  ] as const;
}

/**
 * Arms the deployment, or one of its connectors. What is armed already stays so. A connector of a restored deployment first looks up at its
 * provider what the original may have paid:
 *
 *     restored ── arm --connector ──► looking ── all is looked up ──► money moves
 *         └────── arm, when each connector with open orders was armed ──► everything else goes on, too
 *
 * Throws `VALIDATION` for a restored deployment whose original may still run; `NOT_FOUND` for an unknown connector, and `CONFLICT` if somebody
 * else has changed the state meanwhile, if the setting `FLORIN_DISARMED` disarms the deployment, and for the whole of a restored one while
 * connectors with open orders were not armed by themselves, unless they may be paid twice.
 */
export async function arm(context: ServiceContext, order: ArmingOrder): Promise<Arming> {
  const { connectorId, originalIsStopped } = order;
  const connector =
    connectorId === undefined ? undefined : await connectorNamed(context, connectorId);
  const state = await readArmingOf(context);
  if (state.setting !== undefined) throw disarmedByItsSetting();
  if (state.disarmed === undefined) {
    if (!order.mayPayTwice) return state;
    await leaveOutLookups(context, connector, order);
    return readArmingOf(context);
  }
  const { revision } = state.disarmed;
  if (order.revision !== undefined && order.revision !== revision) throw changedMeanwhile();
  if (state.disarmed.reason === "restored" && !originalIsStopped) throw originalMayRun();
  const isCopy = state.disarmed.reason === "restored";
  if (connector !== undefined) {
    await armConnector(context, connector, { ...order, revision, isCopy });
  } else {
    const open = !isCopy || order.mayPayTwice ? [] : await countOpenOrders(context);
    if (open.length > 0) throw mayBePaidTwice(open);
    await armAll(context, { ...order, revision, isCopy });
  }
  // Look-ups may be under way since before an operator has disarmed the deployment.
  if (!isCopy && order.mayPayTwice) await leaveOutLookups(context, connector, order);
  return readArmingOf(context);
}

/** Ends look-ups under way, of one connector or of all, because the operator accepts that payments are made twice. */
async function leaveOutLookups(
  context: ServiceContext,
  connector: NamedConnector | undefined,
  order: ArmingOrder,
): Promise<void> {
  const looking = (await readLookups(context)).filter(
    ({ reference, endedAt }) =>
      endedAt === null && (connector === undefined || connector.reference === reference),
  );
  if (looking.length === 0) return;
  const change = new AuditedChange(context, {
    action: connector === undefined ? "deployment.state.arm" : "deployment.connector.arm",
    object: auditedAs(
      connector === undefined ? DEPLOYMENT : `connectors/${connector.reference}`,
      order,
    ),
  });
  await change.store(skipLookups(context, connector?.reference));
  for (const { reference } of looking) await refreshConnector(context, reference);
}

/** An order to arm the deployment as it was read. */
interface ArmingAsRead extends ArmingOrder {
  readonly revision: string;
  /** Whether the deployment is a copy of another one. */
  readonly isCopy: boolean;
}

/** The object of an entry of the audit, which says whether the operator has accepted that payments are made twice. */
const auditedAs = (object: string, { mayPayTwice }: ArmingOrder): string =>
  mayPayTwice ? `${object}/may-pay-twice` : object;

/** What the operator has said about the original of a restored deployment, for the audit. */
const saidOf = ({ isCopy, originalIsStopped }: ArmingAsRead): string | undefined =>
  isCopy && originalIsStopped ? "the original is stopped" : undefined;

/** Arms the deployment if it is disarmed as it was read. */
async function armAll(context: ServiceContext, order: ArmingAsRead): Promise<void> {
  const db = databaseOf(context.env);
  const condition = sql`NOT EXISTS (SELECT 1 FROM ${disarmament})`;
  const change = new AuditedChange(context, {
    action: "deployment.state.arm",
    object: auditedAs(DEPLOYMENT, order),
    note: saidOf(order),
  });
  const armed = await change.store(
    db
      .delete(disarmament)
      .where(eq(disarmament.revision, order.revision))
      .returning({ id: disarmament.id }),
    db.delete(armedConnectors).where(condition),
    ...(order.isCopy ? beginLookups(context, { isSkipped: order.mayPayTwice, condition }) : []),
  );
  if (armed.length > 0) return;
  const { disarmed } = await readArmingOf(context);
  if (disarmed === undefined) return; // another operator has armed it at the same time
  throw changedMeanwhile();
}

/** Arms a connector of the deployment that is disarmed as it was read. Its look-up begins in the same batch. */
async function armConnector(
  context: ServiceContext,
  { id, reference }: NamedConnector,
  order: ArmingAsRead,
): Promise<void> {
  const { env, clock } = context;
  const armedAt = clock();
  const change = new AuditedChange(context, {
    action: "deployment.connector.arm",
    object: auditedAs(`connectors/${reference}`, order),
    note: saidOf(order),
  });
  const inserted = await change.store(
    databaseOf(env)
      .insert(armedConnectors)
      .select(sql`
        SELECT ${columnValues(armedConnectors, { reference, connectorId: id, armedAt, ...actorOf(context) })}
        WHERE EXISTS (SELECT 1 FROM ${disarmament} WHERE revision = ${order.revision})`)
      .onConflictDoUpdate({
        target: armedConnectors.reference,
        set: {
          armedAt: sql`excluded.armed_at`,
          issuer: sql`excluded.issuer`,
          subject: sql`excluded.subject`,
          clientId: sql`excluded.client_id`,
        },
        // A look-up that is under way may be left out later, too.
        setWhere: order.isCopy && order.mayPayTwice ? sql`TRUE` : sql`FALSE`,
      })
      .returning({ reference: armedConnectors.reference }),
    ...(order.isCopy
      ? beginLookup(context, reference, {
          isSkipped: order.mayPayTwice,
          condition: sql`EXISTS (
            SELECT 1 FROM ${armedConnectors} AS a WHERE a.reference = ${reference} AND a.armed_at = ${armedAt})`,
        })
      : []),
  );
  if (inserted.length > 0) return refreshConnector(context, reference);
  const { disarmed } = await readArmingOf(context);
  // The connector was armed before, or everything is.
  if (disarmed === undefined || disarmed.revision === order.revision) return;
  throw changedMeanwhile();
}

const actorOf = ({ principal: { issuer, subject, clientId } }: ServiceContext) => ({
  issuer,
  subject,
  clientId,
});

const changedMeanwhile = (): AppError =>
  new AppError(
    "CONFLICT",
    "somebody has disarmed the deployment meanwhile; look why, and arm it again",
  );

const disarmedByItsSetting = (): AppError =>
  new AppError(
    "CONFLICT",
    "the setting FLORIN_DISARMED disarms the deployment: disarm it (npm run florin -- disarm, with --restored for a copy of another one), so that it stays so, take the setting away, serve it again, and arm it then",
  );

const originalMayRun = (): AppError =>
  new AppError(
    "VALIDATION",
    "the deployment was restored from another one: make sure that the original is stopped, then say so with originalIsStopped, because both would otherwise go on paying",
  );

function mayBePaidTwice(open: readonly OpenOrderCount[]): AppError {
  const sum = open.reduce((total, { count }) => total + count, 0);
  const named = open.slice(0, NAMED_MAX).map(({ name, count }) => `${name} ${count}`);
  const more = open.length > NAMED_MAX ? ", …" : "";
  return new AppError(
    "CONFLICT",
    `the deployment was restored from another one, and ${sum} payouts, transfers and reversals of connectors are open (${named.join(", ")}${more}): the original may have made them after the moment of the copy. Arm these connectors one at a time (npm run florin -- arm --connector <id>), so that each looks them up at its provider, or say with mayPayTwice (--may-pay-twice) that they may be made twice`,
  );
}
