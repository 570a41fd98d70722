import { z } from "zod";
import { amountOf, type WiseClient } from "./client.ts";
import { readPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

/** The subscriptions of each profile. */
export const SUBSCRIPTIONS = [
  {
    name: "transfer_state_changed",
    triggerOn: "transfers#state-change",
    urlPath: "/transferstatechanged",
    version: "2.0.0",
  },
  {
    name: "balance_update",
    triggerOn: "balances#update",
    urlPath: "/balanceupdate",
    version: "2.2.0",
  },
] as const;

export const wiseWebhooks = (client: WiseClient, publicKey: string): kit.WebhookPlugin => ({
  create: (registration) => register(client, registration),
  verify: async (webhook) => verify(publicKey, webhook),
  translate: (webhook) => translate(client, webhook),
});

/**
 * Creates the subscriptions that do not exist yet. Existing ones are kept, because they have no secrets: one key of the provider signs all
 * deliveries.
 */
async function register(
  client: WiseClient,
  { baseUrl, parent }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  if (parent === undefined) throw kit.refused("webhooks belong to a profile");
  const profile = parent.reference;
  const found = await client.listSubscriptions(profile);
  for (const { name, triggerOn, urlPath, version } of SUBSCRIPTIONS) {
    const url = `${baseUrl}${urlPath}`;
    const isThere = found.some(
      (each) => each.trigger_on === triggerOn && each.delivery.url === url,
    );
    if (isThere) continue;
    const delivery = { version, url };
    await client.createSubscription(profile, { name, trigger_on: triggerOn, delivery });
  }
  return SUBSCRIPTIONS.map(({ name, urlPath }) => ({ name, urlPath, metadata: {} }));
}

/** Removes the subscriptions of an installation from all profiles. */
export async function removeWebhooks(client: WiseClient, connectorId: string): Promise<void> {
  for (const { id: profile } of await client.listProfiles()) {
    for (const { id, delivery } of await client.listSubscriptions(profile)) {
      if (delivery.url.includes(connectorId)) await client.deleteSubscription(profile, id);
    }
  }
}

const isTest = ({ headers }: kit.ProviderWebhook): boolean =>
  headers["x-test-notification"] === "true";

function verify(publicKey: string, webhook: kit.ProviderWebhook): kit.WebhookVerdict {
  // The provider tests a URL before it subscribes it. Test notifications are not signed, so that all of them count as one delivery, which reports nothing.
  if (isTest(webhook)) return { key: "test notification" };
  const { headers, body } = webhook;
  const delivery = headers["x-delivery-id"];
  if (delivery === undefined || delivery === "") return { refused: "it has no delivery id" };
  const signature = headers["x-signature-sha256"];
  if (signature === undefined) return { refused: "it has no signature" };
  return kit.isRsaSigned(publicKey, { text: body, signature })
    ? { key: delivery }
    : { refused: "the signature does not fit" };
}

const Event = z.object({ event_type: z.string(), data: z.unknown() });

async function translate(
  client: WiseClient,
  webhook: kit.ProviderWebhook,
): Promise<kit.WebhookReport> {
  if (isTest(webhook)) return {};
  const { event_type: type, data } = kit.parseObject(
    Event,
    kit.parseBody(webhook.body),
    "a notification",
  );
  const payment = await toReported(client, type, data);
  return payment === undefined ? {} : { payments: [payment] };
}

async function toReported(
  client: WiseClient,
  type: string,
  data: unknown,
): Promise<kit.ProviderPayment | undefined> {
  if (type === "transfers#state-change") return readTransfer(client, data);
  return type === "balances#update" ? toBalanceUpdate(data) : undefined;
}

const StateChange = z.object({
  resource: z.object({ id: kit.Id, profile_id: kit.Id }),
  occurred_at: kit.Date3339,
});

/** Reads the transfer of an event again: its present state is never older than the event. */
async function readTransfer(
  client: WiseClient,
  data: unknown,
): Promise<kit.ProviderPayment | undefined> {
  const { resource, occurred_at } = kit.parseObject(StateChange, data, "a change of a transfer");
  const path = `/v1/transfers/${encodeURIComponent(resource.id)}`;
  const value = await client.read({ path }, z.unknown(), "a transfer");
  return readPayment(client, { profile: resource.profile_id, value, createdAt: occurred_at });
}

const BalanceUpdate = z.object({
  balance_id: kit.Id,
  transfer_reference: kit.Text,
  transaction_type: z.string(),
  amount: kit.DecimalText,
  currency: kit.Text,
  occurred_at: kit.Date3339,
});

/** The payment of a balance update. The balance is the destination of a credit, and the source of a debit. */
function toBalanceUpdate(data: unknown): kit.ProviderPayment | undefined {
  const update = kit.parseObject(BalanceUpdate, data, "an update of a balance");
  const { transfer_reference: reference, balance_id: balance, occurred_at, currency } = update;
  const amount = amountOf(
    { value: update.amount, currency },
    { what: "update of a balance", id: reference },
  );
  if (amount === undefined) return undefined;
  const isCredit = update.transaction_type === "credit";
  return {
    reference,
    createdAt: occurred_at,
    type: isCredit ? "PAY-IN" : "PAYOUT",
    status: "SUCCEEDED",
    scheme: "OTHER",
    ...amount,
    ...(isCredit ? { destinationReference: balance } : { sourceReference: balance }),
    metadata: {},
    raw: stringifyJson(data),
  };
}
