import { notWritten } from "./client.ts";
import type { InstalledWebhooks } from "#modules/payments/connectors/contract.ts";
import type { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import type { WebhookPlugin } from "#modules/payments/connectors/webhook-contract.ts";

export const exampleWebhooks = (_client: ApiClient): WebhookPlugin => ({
  create: async () => {
    throw notWritten("CREATE_WEBHOOKS");
  },
  verify: async () => ({ refused: "the verification of example is not written yet" }),
  translate: async () => {
    throw notWritten("TRANSLATE_WEBHOOKS");
  },
});

/** Removes what was registered. It may have been removed already. */
export async function removeWebhooks(
  _client: ApiClient,
  _installation: InstalledWebhooks,
): Promise<void> {
  throw notWritten("the removal of webhooks");
}
