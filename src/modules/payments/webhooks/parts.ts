import { kindOf } from "#modules/payments/connectors/index.ts";
import type { ProviderWebhook } from "#modules/payments/connectors/webhook-contract.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { AppError } from "#platform/errors.ts";
import { quoteJson } from "#platform/json.ts";

/** Most parts of a delivery. Each is a statement of one batch, and a request to a Worker may run 1000 statements in all. */
const PARTS_MAX = 500;
/** Largest part, in bytes as a JSON string. Encrypted and with the headers of the delivery, the part stays below 1 MB. */
const PART_BYTES_MAX = 600_000;

/**
 * The parts of a verified delivery. A delivery of a kind of connector that does not split is one part. Throws
 * `BODY_TOO_LARGE`.
 */
export function splitDelivery(
  { id: { provider } }: InstalledConnector,
  webhook: ProviderWebhook,
): readonly ProviderWebhook[] {
  const split = kindOf(provider)?.splitWebhook;
  if (split === undefined) return [webhook];
  const parts = split(webhook);
  if (parts.length > PARTS_MAX) {
    throw new AppError("BODY_TOO_LARGE", `the webhook has more than ${PARTS_MAX} parts`);
  }
  if (parts.some((body) => Buffer.byteLength(quoteJson(body)) > PART_BYTES_MAX)) {
    throw new AppError("BODY_TOO_LARGE", "a part of the webhook is too large to be stored");
  }
  return parts.map((body) => ({ ...webhook, body }));
}
