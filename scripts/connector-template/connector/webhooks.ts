import { notWritten } from "./client.ts";
import type * as kit from "#modules/payments/connectors/kit/index.ts";

export const exampleWebhooks = (_client: kit.ApiClient): kit.WebhookPlugin => ({
  create: async () => {
    throw notWritten("CREATE_WEBHOOKS");
  },
  verify: async () => ({ refused: "the verification of example is not written yet" }),
  translate: async () => {
    throw notWritten("TRANSLATE_WEBHOOKS");
  },
});

/** Removes the webhooks that were registered. Some of them may have been removed already. */
export async function removeWebhooks(
  _client: kit.ApiClient,
  _installation: kit.InstalledWebhooks,
): Promise<void> {
  throw notWritten("the removal of webhooks");
}
