import { partiesOf, type RequestedTransfer } from "./transfer.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import {
  CANNOT_BE_ASKED,
  MAY_BE_ANSWERED,
  needsPerson,
} from "#modules/payments/lookups/askable.ts";
import { findLookup } from "#modules/payments/lookups/lookup-rows.ts";
import { completeReportedMovements } from "#modules/payments/movements/complete.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Creates an initiation and sends it, unless it waits for its approval. If the reference is known, returns the initiation
 * with this reference. Returns the id. Throws `VALIDATION` for an invalid transfer, and `CONFLICT` if the reference belongs
 * to another transfer.
 */
export async function requestTransfer(
  context: ServiceContext,
  transfer: RequestedTransfer,
): Promise<string> {
  const { reference, description, type, amount, asset, metadata } = transfer;
  const parties = await partiesOf(context, transfer);
  const id = { connector: parties.connector, reference };
  const connector = await requireConnector(context, parties.connector);
  const reviewReason = await reasonForReview(context, connector, transfer);
  try {
    await createInitiation(context, {
      reference,
      description,
      type,
      amount,
      asset,
      metadata,
      ...parties,
      isSent: !transfer.waitsForApproval,
      reviewReason,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "ALREADY_EXISTS") throw error;
    const { destination } = parties;
    assertSame(await getInitiation(context, id), { type, amount, asset, destination });
  }
  // The provider may have shown already that the original has paid it.
  if (reviewReason !== undefined) await completeReportedMovements(context, connector);
  // If a request is cut off before this line, its repetition wakes the connector.
  if (!transfer.waitsForApproval) await wakeMovements(context, parties.connector);
  return encodeOwnedId(id);
}

/**
 * Why a person has to decide about a transfer first, which the original of this restored deployment may have requested; undefined if nobody has to:
 *
 *     what requests it began before the arming ── its provider can be asked by the reference ──► it is looked up
 *                                              └─ its provider cannot be asked ───────────────► a person
 *     it began later, for a cause from before: the original may have answered it with another reference ──► a person,
 *                                              unless the provider shows this reference
 */
async function reasonForReview(
  context: ServiceContext,
  connector: InstalledConnector,
  { type, begunAt, causedAt }: RequestedTransfer,
): Promise<string | undefined> {
  if (begunAt === undefined) return undefined;
  const lookup = await findLookup(context, connector.key);
  if (lookup === undefined || lookup.isSkipped) return undefined;
  if (begunAt <= lookup.beganAt) {
    const needed = await needsPerson(context, { connector, type, knownAt: begunAt });
    return needed ? CANNOT_BE_ASKED : undefined;
  }
  const isOld = causedAt !== undefined && (await causedAt()) <= lookup.beganAt;
  return isOld ? MAY_BE_ANSWERED : undefined;
}

function assertSame(
  found: Initiation,
  wanted: Pick<Initiation, "type" | "asset" | "destination"> & { readonly amount: bigint },
): void {
  const { type, asset, destination, state } = found;
  const isSame =
    type === wanted.type &&
    asset === wanted.asset &&
    state.amount === wanted.amount &&
    destination?.reference === wanted.destination?.reference;
  if (isSame) return;
  throw new AppError(
    "CONFLICT",
    `the reference '${found.id.reference}' is that of another transfer`,
  );
}
