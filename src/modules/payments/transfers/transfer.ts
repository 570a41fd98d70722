import { and, eq, isNull } from "drizzle-orm";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { InitiationType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  type ConnectorId,
  decodeConnectorId,
  decodeOwnedId,
  type OwnedId,
} from "#modules/payments/core/ids.ts";
import { toProvider } from "#modules/payments/core/providers.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** A transfer that another module requests. Ids are texts, as clients write them. */
export interface RequestedTransfer {
  /** Identifies the transfer: two requests with the same reference make one initiation. */
  readonly reference: string;
  /** The id of the connector; absent for the only connector of the provider. */
  readonly connectorId?: string;
  readonly provider?: string;
  readonly description: string;
  readonly type: Extract<InitiationType, "TRANSFER" | "PAYOUT">;
  readonly amount: bigint;
  readonly asset: string;
  readonly sourceAccountId?: string;
  readonly destinationAccountId: string;
  readonly metadata: ObjectMetadata;
  readonly waitsForApproval: boolean;
  /** When what requests the transfer began, such as an instance of a workflow; absent for a request of its own. */
  readonly begunAt?: Timestamp;
  /** When the cause came of what requests the transfer, such as the event that has fired a trigger; absent without one. */
  readonly causedAt?: () => Promise<Timestamp>;
}

/** The connector and the accounts of a transfer. */
export interface TransferParties {
  readonly connector: ConnectorId;
  readonly destination: OwnedId;
  readonly source?: OwnedId;
}

/**
 * Reads the connector and the accounts of a transfer. Throws `VALIDATION` for an invalid transfer, and if the provider has
 * no connector or several.
 */
export async function partiesOf(
  context: Pick<ServiceContext, "env">,
  transfer: RequestedTransfer,
): Promise<TransferParties> {
  if (transfer.amount <= 0n) throw new AppError("VALIDATION", "amount: must be greater than 0");
  const connector = await connectorOf(context, transfer);
  const destination = accountOf("destinationAccountID", transfer.destinationAccountId);
  const source =
    transfer.sourceAccountId === undefined
      ? undefined
      : accountOf("sourceAccountID", transfer.sourceAccountId);
  return { connector, destination, ...given({ source }) };
}

function accountOf(field: string, text: string): OwnedId {
  const id = decodeOwnedId(text);
  if (id === undefined) throw new AppError("VALIDATION", `${field}: '${text}' is no account's id`);
  return id;
}

async function connectorOf(
  { env }: Pick<ServiceContext, "env">,
  { connectorId, provider = "" }: RequestedTransfer,
): Promise<ConnectorId> {
  if (connectorId !== undefined) {
    const id = decodeConnectorId(connectorId);
    if (id !== undefined) return id;
    throw new AppError("VALIDATION", `connectorID: '${connectorId}' is no connector's id`);
  }
  const kind = toProvider(provider);
  const [only, ...others] = await databaseOf(env)
    .select({ provider: paymentConnectors.provider, reference: paymentConnectors.reference })
    .from(paymentConnectors)
    .where(and(eq(paymentConnectors.provider, kind), isNull(paymentConnectors.deletedAt)))
    .limit(2);
  if (only !== undefined && others.length === 0) return only;
  const count = only === undefined ? "no connector" : "several connectors";
  throw new AppError("VALIDATION", `connectorID is required: '${kind}' has ${count}`);
}
