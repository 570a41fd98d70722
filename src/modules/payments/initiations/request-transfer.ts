import { and, eq, isNull } from "drizzle-orm";
import { createInitiation } from "./create.ts";
import type { Initiation } from "./initiation.ts";
import { getInitiation } from "./store.ts";
import type { InitiationType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  type ConnectorId,
  decodeConnectorId,
  decodeOwnedId,
  encodeOwnedId,
  type OwnedId,
} from "#modules/payments/core/ids.ts";
import { toProvider } from "#modules/payments/core/providers.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ObjectMetadata } from "#modules/payments/metadata.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** A transfer that another module asks for. Ids are texts, as clients write them. */
export interface RequestedTransfer {
  /** What is asked for twice with one reference is one initiation. */
  readonly reference: string;
  /** The connector; where it is absent, the only one of the provider. */
  readonly connectorId?: string;
  readonly provider?: string;
  readonly description: string;
  readonly type: Extract<InitiationType, "TRANSFER" | "PAYOUT">;
  readonly amount: bigint;
  readonly asset: string;
  readonly sourceAccountId?: string;
  readonly destinationAccountId: string;
  readonly metadata: ObjectMetadata;
  /** Whether it waits for an approval. */
  readonly waitsForApproval: boolean;
}

/**
 * Creates an initiation, which the sweep sends unless it waits for its approval, or gives the one of that reference. Returns its
 * id. Throws `VALIDATION` for what is no such transfer, and `CONFLICT` where the reference is that of another transfer.
 */
export async function requestTransfer(
  context: ServiceContext,
  transfer: RequestedTransfer,
): Promise<string> {
  const { reference, description, type, amount, asset, metadata } = transfer;
  if (amount <= 0n) throw new AppError("VALIDATION", "amount: must be greater than 0");
  const connector = await connectorOf(context, transfer);
  const destination = accountOf("destinationAccountID", transfer.destinationAccountId);
  const source =
    transfer.sourceAccountId === undefined
      ? undefined
      : accountOf("sourceAccountID", transfer.sourceAccountId);
  const id = { connector, reference };
  try {
    await createInitiation(context, {
      reference,
      connector,
      description,
      type,
      amount,
      asset,
      destination,
      metadata,
      ...given({ source }),
      isSent: !transfer.waitsForApproval,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "ALREADY_EXISTS") throw error;
    assertSame(await getInitiation(context, id), { type, amount, asset, destination });
  }
  // A request that was cut off before this line is repeated, and arms it then.
  if (!transfer.waitsForApproval) await armClock(context.env, toMillis(context.clock()));
  return encodeOwnedId(id);
}

function accountOf(field: string, text: string): OwnedId {
  const id = decodeOwnedId(text);
  if (id === undefined) throw new AppError("VALIDATION", `${field}: '${text}' is no account's id`);
  return id;
}

async function connectorOf(
  { env }: ServiceContext,
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
