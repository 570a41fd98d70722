import { getConnector } from "./store.ts";
import { decodeConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** An installation as other modules know it. */
export interface NamedConnector {
  /** The id in the API. */
  readonly id: string;
  /** The UUID of the installation. */
  readonly reference: string;
}

/** The installation that an id of the API names, also while it is being uninstalled. Throws `VALIDATION` and `NOT_FOUND`. */
export async function connectorNamed(
  context: Pick<ServiceContext, "env">,
  text: string,
): Promise<NamedConnector> {
  const id = decodeConnectorId(text);
  if (id === undefined) throw new AppError("VALIDATION", "the id is not that of a connector");
  const connector = await getConnector(context, id);
  return { id: encodeConnectorId(connector.id), reference: connector.id.reference };
}
