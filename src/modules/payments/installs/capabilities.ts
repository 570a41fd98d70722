import { kindOf } from "#modules/payments/connectors/index.ts";
import type { Capability } from "#modules/payments/core/enums.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Checks that clients may create objects at connectors of this kind. Throws `CONNECTOR_CAPABILITY_NOT_SUPPORTED`, and
 * `VALIDATION` for a kind that this version does not have.
 */
export function requireCreation(
  { provider }: ConnectorId,
  { capability, name }: { readonly capability: Capability; readonly name: string },
): void {
  const kind = kindOf(provider);
  if (kind === undefined) throw new AppError("VALIDATION", "connector_id: value not found");
  if (kind.capabilities.includes(capability)) return;
  throw new AppError(
    "CONNECTOR_CAPABILITY_NOT_SUPPORTED",
    `${name} capability is not supported by the provider ${provider}`,
  );
}
