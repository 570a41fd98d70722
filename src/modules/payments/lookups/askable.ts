import { sql } from "drizzle-orm";
import { findLookup, type Lookup } from "./lookup-rows.ts";
import type { ReviewRow } from "./review-rows.ts";
import { paymentReviews } from "./tables.ts";
import type { ConnectorKind, MovementKind } from "#modules/payments/connectors/contract.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

/** Why a person decides about an order before it is sent. */
export const CANNOT_BE_ASKED = "the provider cannot be asked about it by its reference";

/** Why a person decides about an order whose cause is older than the arming of the connector. */
export const MAY_BE_ANSWERED =
  "it is ordered for something from before the arming, for which the original may have paid under another reference";

/** An order that the original of a restored deployment may know. */
export interface OrderOfCopy {
  readonly connector: InstalledConnector;
  readonly type: MovementKind;
  /** When the order, or what leads to it, was made. What is later than the arming of the connector is unknown to the original, which had stopped. */
  readonly knownAt: Timestamp;
  /** The key of the initiation; absent for one that is not stored yet. */
  readonly initiationKey?: number;
}

/**
 * Whether a person has to decide about an order of a restored copy before it is sent, because nobody can find out whether the original has paid
 * it: its provider neither shows references in its lists nor can be asked by one. Once a person has found that it was not paid, it may be sent.
 */
export async function needsPerson(
  context: Pick<ServiceContext, "env">,
  { connector, type, knownAt, initiationKey = 0 }: OrderOfCopy,
): Promise<boolean> {
  const lookup = await findLookup(context, connector.key);
  if (lookup === undefined || lookup.isSkipped || knownAt > lookup.beganAt) return false;
  const kind = kindOf(connector.id.provider);
  const canAsk = type === "REVERSAL" ? kind?.findsReversals : kind?.findsMovements;
  const isKnown = kind !== undefined && (listedBy(context, kind).includes(type) || canAsk === true);
  if (isKnown && !isDoubted(context, kind)) return false;
  return !(await isDecidedUnpaid(context, lookup, { initiationKey, reversalKey: null }));
}

/** Whether a person has found, since the deployment was restored, that the original has not paid an order. */
export async function isDecidedUnpaid(
  { env }: Pick<ServiceContext, "env">,
  { firstBeganAt }: Lookup,
  { initiationKey, reversalKey }: Pick<ReviewRow, "initiationKey" | "reversalKey">,
): Promise<boolean> {
  const [decided] = await databaseOf(env)
    .select({ key: paymentReviews.key })
    .from(paymentReviews)
    .where(
      sql`${paymentReviews.initiationKey} = ${initiationKey} AND ${paymentReviews.reversalKey} IS ${reversalKey}
        AND ${paymentReviews.decision} = 'not-paid' AND ${paymentReviews.decidedAt} > ${firstBeganAt}`,
    )
    .limit(1);
  return decided !== undefined;
}

/** Whether only the word of a provider says that its lists are whole and that its answers are final, and nobody has given it. */
const isDoubted = (
  { env }: Pick<ServiceContext, "env">,
  { isListedByWord }: ConnectorKind,
): boolean => isListedByWord === true && !paymentSettings.of(env).FLORIN_PAYMENTS_GENERIC_LISTS_ALL;

/** The movements whose absence from the lists of a provider says that it has not made them. */
export const listedBy = (
  context: Pick<ServiceContext, "env">,
  kind: ConnectorKind,
): readonly MovementKind[] => (isDoubted(context, kind) ? [] : (kind.listed ?? []));
