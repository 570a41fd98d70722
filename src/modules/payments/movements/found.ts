import { eq } from "drizzle-orm";
import { isFree, isOlder } from "./complete.ts";
import { readExecution } from "./execution.ts";
import { type MadePayment, paymentIdOf, publishOutcome } from "./outcome.ts";
import { publishUnsent } from "./unsent.ts";
import type { FoundMovement } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { isDerivedReference } from "#modules/payments/core/derived-reference.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import { paymentInitiationPayments } from "#modules/payments/initiations/tables.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { findPayment } from "#modules/payments/payments/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { formatTimestamp } from "#platform/time.ts";

/** Why a person decides about an order whose reference the provider knows from elsewhere, such as an earlier installation. */
export const OTHER_ORDER = "the provider has the reference from another order";

/** Whether a payment may be that of an initiation: the provider's fee makes it less. */
export const isOwn = ({ asset, state }: Initiation, payment: ProviderPayment): boolean =>
  payment.asset === asset && payment.amount <= state.amount;

/**
 * Why a person decides about an order of a restored copy if what the provider knows under its reference is older than the order; undefined if it
 * is not, if the provider does not say how old it is, or if a workflow orders anew what the original has ordered.
 */
export function olderThan(
  initiation: Pick<Initiation, "createdAt" | "id">,
  found: Exclude<FoundMovement, string>,
): string | undefined {
  const { reference, createdAt } = nameOf(found);
  if (createdAt === undefined || !isOlder(createdAt, initiation)) return undefined;
  if (isDerivedReference(initiation.id.reference)) return undefined;
  return `${OTHER_ORDER}: ${reference}, of ${formatTimestamp(createdAt)}`;
}

function nameOf(found: Exclude<FoundMovement, string>) {
  if ("payment" in found) return found.payment;
  return "pollingId" in found ? { reference: found.pollingId, createdAt: found.createdAt } : {};
}

/** Whether a payment is that of another initiation, so that it settles no other one. */
async function isTaken(
  context: ServiceContext,
  initiation: Pick<Initiation, "key">,
  id: PaymentId,
): Promise<boolean> {
  const db = databaseOf(context.env);
  const payment = await findPayment(db, id);
  if (payment === undefined) return false;
  const owners = await db
    .select({ key: paymentInitiationPayments.initiationKey })
    .from(paymentInitiationPayments)
    .where(eq(paymentInitiationPayments.paymentKey, payment.key));
  return owners.some(({ key }) => key !== initiation.key);
}

const takenBy = ({ reference }: PaymentId): string =>
  `${OTHER_ORDER}: the payment ${reference} is that of another payment initiation`;

/**
 * Stores the payment with which the provider has answered a question about a movement, with all consequences; see `storePayment`. Returns why a
 * person has to decide if the payment is that of another initiation: then nothing is stored.
 */
export function storeFound(
  context: ServiceContext,
  movement: MovementRow,
  payment: ProviderPayment,
): Promise<string | undefined> {
  return retryOnConflict(async () => {
    const execution = await readExecution(context, movement);
    if (execution === undefined) return undefined;
    const { connector, initiation } = execution;
    const made = madeBy(connector, payment);
    if (await isTaken(context, initiation, made.id)) return takenBy(made.id);
    const page = await preparePayments(context, { connector, payments: [payment] });
    const condition = isFree(execution, made.id);
    await publishOutcome(context, { execution, made, page, condition });
    return undefined;
  });
}

/**
 * Stores the payment with which the provider has answered about an initiation that has no movement here. Returns why a person has to decide if
 * it is that of another initiation: then nothing is stored.
 */
export function storeFoundUnsent(
  context: ServiceContext,
  read: () => Promise<Initiation | undefined>,
  payment: ProviderPayment,
): Promise<string | undefined> {
  return retryOnConflict(async () => {
    const initiation = await read();
    if (initiation === undefined) return undefined;
    const connector = await requireConnector(context, initiation.id.connector);
    const made = madeBy(connector, payment);
    if (await isTaken(context, initiation, made.id)) return takenBy(made.id);
    await publishUnsent(context, {
      initiation,
      metadata: { foundPayment: payment.reference },
      made,
      page: await preparePayments(context, { connector, payments: [payment] }),
      condition: isFree({ initiation }, made.id),
    });
    return undefined;
  });
}

const madeBy = (connector: InstalledConnector, payment: ProviderPayment): MadePayment => {
  const { reference, status } = payment;
  return { id: paymentIdOf(connector, payment), reference, status };
};
