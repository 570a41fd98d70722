import { z } from "zod";
import type { AdyenClient } from "./client.ts";
import type { AdyenConfig } from "./config.ts";
import { toPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The name of the only webhook of an installation. Its description at the provider is the id of the connector. */
const NAME = "standard";
const URL_PATH = "/standard";

export const adyenWebhooks = (client: AdyenClient, config: AdyenConfig): kit.WebhookPlugin => ({
  create: (registration) => register(client, config, registration),
  verify: async (webhook) => verify(config, webhook),
  translate: async ({ body }) => {
    const { items: payments, rejected } = kit.readEach(readItems(kit.parseBody(body)), toPayment);
    return { payments, rejected };
  },
});

/**
 * Creates the webhook, or updates the settings of the existing one. If a crash has prevented the storing of its key, a new key is
 * generated.
 */
async function register(
  client: AdyenClient,
  { webhookUsername, webhookPassword }: AdyenConfig,
  { baseUrl, connectorId, registered }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const settings = {
    description: connectorId,
    url: `${baseUrl}${URL_PATH}`,
    ...(webhookUsername === "" ? {} : { username: webhookUsername }),
    ...(webhookPassword === "" ? {} : { password: webhookPassword }),
  };
  const [found] = await client.findWebhooks(connectorId);
  if (found !== undefined) await client.updateWebhook(found.id, settings);
  const { id } = found ?? (await client.createWebhook(settings));
  const known = registered.find(({ metadata }) => metadata["webhook_id"] === id);
  const hmacKey = known?.metadata["hmac_key"] ?? (await client.generateHmacKey(id));
  return [{ name: NAME, urlPath: URL_PATH, metadata: { webhook_id: id, hmac_key: hmacKey } }];
}

/** Removes all webhooks of an installation: a repeated registration may have created several. */
export async function removeWebhooks(client: AdyenClient, connectorId: string): Promise<void> {
  for (const { id } of await client.findWebhooks(connectorId)) await client.deleteWebhook(id);
}

function verify(
  config: AdyenConfig,
  { headers, body, config: webhook }: kit.ProviderWebhook,
): kit.WebhookVerdict {
  const problem = authProblem(config, headers["authorization"]);
  if (problem !== undefined) return { refused: problem };
  const items = readItems(kit.parseBody(body));
  if (items.length === 0) return { refused: "it has no items" };
  const key = Buffer.from(webhook.metadata["hmac_key"] ?? "", "hex");
  if (key.length === 0) return { refused: "the webhook has no HMAC key" };
  const isSigned = items.every((item) => {
    const signed = Signed.safeParse(item);
    if (!signed.success) return false;
    const signatures = [signed.data.additionalData.hmacSignature];
    return kit.isSignedBy({ key, text: signedText(signed.data), encoding: "base64" }, signatures);
  });
  return isSigned ? { key: kit.sha256(body, "base64") } : { refused: "an item is not signed" };
}

/**
 * Why the basic authentication of a delivery is refused; undefined if it is right. Either the configuration and each delivery have both a
 * user and a password, or they have neither.
 */
function authProblem(
  { webhookUsername, webhookPassword }: AdyenConfig,
  header: string | undefined,
): string | undefined {
  const isConfigured = webhookUsername !== "" && webhookPassword !== "";
  if (!isConfigured && (webhookUsername !== "" || webhookPassword !== "")) {
    return "the configuration has a user without a password, or a password without a user";
  }
  if (!isConfigured) return header === undefined ? undefined : "it has an unexpected authorization";
  const given = kit.parseBasicAuth(header);
  const isSame =
    given !== undefined &&
    kit.isSameText(given.username, webhookUsername) &&
    kit.isSameText(given.password, webhookPassword);
  return isSame ? undefined : "its user or password is another one";
}

const SignedText = z
  .union([z.string(), z.int(), z.bigint(), z.boolean()])
  .nullish()
  .transform((value) => (value === null || value === undefined ? "" : String(value)));

/** The members of an item that its signature covers, and the signature. */
const Signed = z.object({
  pspReference: SignedText,
  originalReference: SignedText,
  merchantAccountCode: SignedText,
  merchantReference: SignedText,
  amount: z
    .object({ value: SignedText, currency: SignedText })
    .nullish()
    .transform((amount) => amount ?? { value: "", currency: "" }),
  eventCode: SignedText,
  success: SignedText,
  additionalData: z.object({ hmacSignature: z.string() }),
});

const signedText = (item: z.output<typeof Signed>): string =>
  [
    item.pspReference,
    item.originalReference,
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ].join(":");

const Notifications = z.object({
  notificationItems: z.array(z.object({ NotificationRequestItem: z.looseObject({}) })),
});

/** The items of a delivery; none for a body of another form. */
function readItems(body: unknown): readonly unknown[] {
  const { data } = Notifications.safeParse(body);
  return data?.notificationItems.map((item) => item.NotificationRequestItem) ?? [];
}
