import { and, eq } from "drizzle-orm";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  Movement,
  Reversal,
  SoughtMovement,
  StoredAccount,
} from "#modules/payments/connectors/contract.ts";
import { given } from "#modules/payments/core/given.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { findReversalByKey, type StoredReversal } from "#modules/payments/initiations/reversals.ts";
import { findInitiationByKey } from "#modules/payments/initiations/store.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";

/** A movement with its connector, its initiation and its reversal. */
export interface Execution {
  readonly movement: MovementRow;
  readonly connector: InstalledConnector;
  readonly initiation: Initiation;
  /** The reversal that the movement makes; absent for the movement of the initiation itself. */
  readonly reversal?: StoredReversal;
}

/**
 * Undefined for a movement that has ended, and for one whose connector is being uninstalled, as the movement is then
 * deleted with it.
 */
export async function readExecution(
  context: ServiceContext,
  { key }: Pick<MovementRow, "key">,
): Promise<Execution | undefined> {
  const [movement] = await databaseOf(context.env)
    .select()
    .from(paymentMovements)
    .where(eq(paymentMovements.key, key));
  if (movement === undefined) return undefined;
  const initiation = await findInitiationByKey(context, movement.initiationKey);
  if (initiation === undefined) return undefined;
  const connector = await findConnector(context, initiation.id.connector);
  if (connector === undefined || connector.deletedAt !== undefined) return undefined;
  const { reversalKey } = movement;
  const reversal = reversalKey === null ? undefined : await findReversalByKey(context, reversalKey);
  if (reversalKey !== null && reversal === undefined) return undefined;
  return { movement, connector, initiation, ...given({ reversal }) };
}

/** The movement as the plugin gets it. Throws `ConnectorError` for an account that is not stored. */
export async function toProviderMovement(
  context: ServiceContext,
  { initiation, connector }: Execution,
): Promise<Movement> {
  const { id, createdAt, description, type, state, asset, metadata } = initiation;
  return {
    type,
    reference: id.reference,
    createdAt,
    description,
    amount: state.amount,
    asset,
    metadata,
    ...given({
      source: await storedAccount(context, connector, initiation.source),
      destination: await storedAccount(context, connector, initiation.destination),
    }),
  };
}

/** The movement of an initiation as a plugin is asked about it. */
export const toSoughtMovement = ({
  id,
  createdAt,
  type,
  state,
  asset,
  source,
  destination,
}: Initiation): SoughtMovement => ({
  type,
  reference: id.reference,
  createdAt,
  amount: state.amount,
  asset,
  ...given({
    sourceReference: source?.reference,
    destinationReference: destination?.reference,
  }),
});

export const toProviderReversal = (
  movement: Movement,
  { reference, createdAt, description, amount, metadata }: StoredReversal,
): Reversal => ({
  reference,
  createdAt,
  description,
  amount: BigInt(amount),
  asset: movement.asset,
  metadata: parseJson(metadata) as ObjectMetadata, // only this module writes the column
  movement,
});

/** The account as the plugin gets it. Throws `ConnectorError` for one that is not stored. */
export async function storedAccount(
  { env }: ServiceContext,
  { key }: InstalledConnector,
  id: OwnedId | undefined,
): Promise<StoredAccount | undefined> {
  if (id === undefined) return undefined;
  const { reference } = id;
  const [row] = await databaseOf(env)
    .select({
      name: paymentAccounts.name,
      defaultAsset: paymentAccounts.defaultAsset,
      metadata: paymentAccounts.metadata,
    })
    .from(paymentAccounts)
    .where(and(eq(paymentAccounts.reference, reference), eq(paymentAccounts.connectorKey, key)));
  if (row === undefined) {
    throw new ConnectorError("invalid", `the connector has no account '${reference}'`);
  }
  const metadata = parseJson(row.metadata) as ObjectMetadata; // only this module writes the column
  return { reference, metadata, ...given({ name: row.name, defaultAsset: row.defaultAsset }) };
}
