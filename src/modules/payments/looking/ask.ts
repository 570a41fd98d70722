import type { OpenOrder } from "./orders.ts";
import type { ConnectorLookup } from "./runs.ts";
import { holdForReview } from "./settle.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FoundMovement, Movement, Plugin } from "#modules/payments/connectors/contract.ts";
import { toConnectorError } from "#modules/payments/connectors/provider-fault.ts";
import {
  type Execution,
  toProviderMovement,
  toProviderReversal,
  toSoughtMovement,
} from "#modules/payments/movements/execution.ts";
import type { Trust } from "#modules/payments/movements/trust.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The look-up of a connector, with the provider that it asks. */
export interface Asking extends ConnectorLookup {
  readonly plugin: Plugin;
  readonly trust: Trust;
}

/** A person has to decide, because the question has failed. */
interface Held {
  readonly held: true;
}
/** An answer about an order, or that it is held for a person. */
type Asked = FoundMovement | Held;

export const isForPerson = (found: Asked): found is Held =>
  typeof found === "object" && "held" in found;

/** Whether an initiation has failed here, so that nothing of it is on its way. */
export const hasFailed = ({ initiation, movement }: OpenOrder): boolean =>
  movement === undefined && initiation.state.status === "FAILED";

/**
 * Asks about an order. What the provider refuses to say about this order alone, because it answers another question, is held for a person, so
 * that the other orders go on. Throws `ConnectorError` for a provider that answers no question, and errors of this software, such as of the
 * database: the order is then asked about again.
 */
export async function askOrReview(
  context: ServiceContext,
  looking: Asking,
  order: OpenOrder,
): Promise<Asked> {
  try {
    return await ask(context, looking, order);
  } catch (error) {
    const failure = toConnectorError(error);
    if (failure?.kind !== "invalid" || !(await answersAnother(looking, order))) throw error;
    if (!hasFailed(order)) {
      await holdForReview(context, order, `the question about it has failed: ${failure.message}`);
    }
    return { held: true };
  }
}

/** Whether the provider answers a question about a reference that nobody has given. */
async function answersAnother({ plugin }: Asking, { initiation }: OpenOrder): Promise<boolean> {
  if (plugin.findMovement === undefined) return false;
  try {
    await plugin.findMovement({ ...toSoughtMovement(initiation), reference: crypto.randomUUID() });
    return true;
  } catch {
    return false;
  }
}

/**
 * Asks the provider what has become of an order: "unknown" also from one that finds something under every reference. Throws `ConnectorError`.
 */
async function ask(
  context: ServiceContext,
  { connector, plugin, trust }: Asking,
  { initiation, movement, reversal }: OpenOrder,
): Promise<FoundMovement> {
  if (reversal === undefined || movement === undefined) {
    const { findMovement } = plugin;
    if (findMovement === undefined) return "unknown";
    const sought = toSoughtMovement(initiation);
    return trust.answer((reference) => findMovement({ ...sought, reference }), sought);
  }
  const { findReversal } = plugin;
  if (findReversal === undefined) return "unknown";
  const made = await providerMovement(context, { connector, initiation, movement });
  if (made === undefined) return "unknown";
  const wanted = toProviderReversal(made, reversal);
  return trust.answer((reference) => findReversal({ ...wanted, reference }), wanted);
}

/** A movement as the plugin gets it; undefined if one of its accounts is not stored any more. */
async function providerMovement(
  context: ServiceContext,
  execution: Execution,
): Promise<Movement | undefined> {
  try {
    return await toProviderMovement(context, execution);
  } catch (error) {
    if (error instanceof ConnectorError) return undefined;
    throw error;
  }
}
