import { kindOf } from "#modules/payments/connectors/index.ts";
import type { ProviderWebhook } from "#modules/payments/connectors/webhook-contract.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { AppError } from "#platform/errors.ts";
import { quoteJson } from "#platform/json.ts";

/** Most parts of a delivery: each is a statement of one batch, and a request to a Worker has 1000 statements in all. */
const PARTS_MAX = 500;
/** Most bytes of a part as a JSON string: encrypted, and with the headers of the delivery, it stays below 1 MB. */
const PART_BYTES_MAX = 600_000;

/** The parts of a verified delivery; of a kind that does not split, the delivery itself. Throws `BODY_TOO_LARGE`. */
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
