import { partiesOf, type RequestedTransfer } from "./transfer.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import { isProviderAsset } from "#modules/payments/core/assets.ts";
import { given } from "#modules/payments/core/given.ts";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { assertSecondPerson } from "#modules/payments/initiations/approve.ts";
import { assertOfConnector } from "#modules/payments/initiations/create.ts";
import { requireCreation } from "#modules/payments/installs/capabilities.ts";
import { dryRunMovement } from "#modules/payments/installs/dry-run.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import { storedAccount } from "#modules/payments/movements/execution.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Checks everything that is known of a transfer before it is requested, without any change:
 *
 *     the connector of the transfer ─ it is installed ─ its kind makes such movements ─ who approves it
 *       ─ the asset ─ both accounts are the connector's and stored ─ the plugin, up to its first request
 *
 * Returns the id of the connector, with which the transfer is then requested, because another connector of the provider may
 * be installed meanwhile. Throws `VALIDATION` and `CONNECTOR_CAPABILITY_NOT_SUPPORTED` for a transfer that can never be
 * made.
 */
export async function checkTransfer(
  context: ServiceContext,
  transfer: RequestedTransfer,
): Promise<string> {
  const { principal } = context;
  const { type, asset, waitsForApproval } = transfer;
  const { connector: id, source, destination } = await partiesOf(context, transfer);
  const connector = await requireInstalled(context, id);
  const isTransfer = type === "TRANSFER";
  requireCreation(id, {
    capability: isTransfer ? "CREATE_TRANSFER" : "CREATE_PAYOUT",
    name: isTransfer ? "CreateTransfer" : "CreatePayout",
  });
  if (!waitsForApproval) assertSecondPerson(context, principal, "approve");
  if (!isProviderAsset(asset)) throw refused(`asset: '${asset}' is no asset`);
  assertOfConnector(id, { sourceAccountID: source, destinationAccountID: destination });
  try {
    const accounts = given({
      source: await storedAccount(context, connector, source),
      destination: await storedAccount(context, connector, destination),
    });
    await dryRunMovement(context, connector, movementOf(context, transfer, accounts));
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    throw refused(error.message, error);
  }
  return encodeConnectorId(id);
}

async function requireInstalled(
  context: ServiceContext,
  id: ConnectorId,
): Promise<InstalledConnector> {
  const connector = await findConnector(context, id);
  if (connector !== undefined && connector.deletedAt === undefined) return connector;
  throw refused(`connectorID: no connector '${id.provider}' of this id is installed`);
}

const movementOf = (
  { clock }: ServiceContext,
  { type, reference, description, amount, asset, metadata }: RequestedTransfer,
  accounts: Pick<Movement, "source" | "destination">,
): Movement => ({
  type,
  reference,
  createdAt: clock(),
  description,
  amount,
  asset,
  metadata,
  ...accounts,
});

const refused = (message: string, cause?: unknown): AppError =>
  new AppError("VALIDATION", message, { cause });
