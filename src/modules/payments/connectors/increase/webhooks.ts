import { z } from "zod";
import type { IncreaseClient } from "./client.ts";
import { readPayment, type TransactionList } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { type Clock, parseTimestamp } from "#platform/time.ts";

/** The subscribed categories of events, each with the list that contains the transaction of an event. */
export const SUBSCRIPTIONS: readonly {
  readonly category: string;
  readonly urlPath: string;
  readonly list: TransactionList;
}[] = [
  {
    category: "declined_transaction.created",
    urlPath: "/declined_transaction/created",
    list: "declined_transactions",
  },
  {
    category: "transaction.created",
    urlPath: "/transaction/created",
    list: "transactions",
  },
  {
    category: "pending_transaction.created",
    urlPath: "/pending_transaction/created",
    list: "pending_transactions",
  },
  {
    category: "pending_transaction.updated",
    urlPath: "/pending_transactions/updated",
    list: "pending_transactions",
  },
];

interface Signing {
  readonly sharedSecret: string;
  readonly clock: Clock;
}

export const increaseWebhooks = (client: IncreaseClient, signing: Signing): kit.WebhookPlugin => ({
  create: (registration) => register(client, signing, registration),
  verify: async (webhook) => verify(signing, webhook),
  translate: (webhook) => translate(client, webhook),
});

const Subscription = z.object({ id: kit.Text, url: z.string(), status: z.string() });
type Subscription = z.output<typeof Subscription>;

async function listSubscriptions(client: IncreaseClient): Promise<Subscription[]> {
  const found = await kit.readEndpoints<Subscription, string>(async (cursor, pageSize) => {
    const page = await client.list("/event_subscriptions", { cursor, since: undefined, pageSize });
    const endpoints = page.values.map((value) =>
      kit.parseObject(Subscription, value, "a subscription"),
    );
    return { endpoints, next: page.next };
  });
  return found.filter(({ status }) => status !== "deleted");
}

/**
 * Creates the subscriptions. The provider does not show the secret of a subscription, so that a subscription with another secret than the
 * configured one is replaced.
 */
async function register(
  client: IncreaseClient,
  { sharedSecret: secret }: Signing,
  { baseUrl, registered }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const found = await listSubscriptions(client);
  const webhooks: kit.RegisteredWebhook[] = [];
  for (const { category, urlPath } of SUBSCRIPTIONS) {
    const url = `${baseUrl}${urlPath}`;
    const there = found.filter((subscription) => subscription.url === url);
    const known = there.find(
      ({ id, status }) =>
        status === "active" &&
        registered.some(({ name, metadata }) => name === id && metadata["secret"] === secret),
    );
    for (const { id } of there) if (id !== known?.id) await client.unsubscribe(id);
    const json = { url, selected_event_category: category, shared_secret: secret };
    const { id } =
      known ?? kit.parseObject(Subscription, await client.subscribe(json), "a subscription");
    webhooks.push({ name: id, urlPath, metadata: { secret } });
  }
  return webhooks;
}

/** Removes the subscriptions of an installation, with those that were created but not stored. */
export async function removeWebhooks(
  client: IncreaseClient,
  { connectorId, webhooks }: kit.InstalledWebhooks,
): Promise<void> {
  const names = new Set(webhooks.map(({ name }) => name));
  for (const { id, url } of await listSubscriptions(client)) {
    if (names.has(id) || url.includes(`/${connectorId}/`)) await client.unsubscribe(id);
  }
}

/** Verifies a delivery with the secret of its subscription, which may be older than the configured one. */
const verify = (
  { sharedSecret, clock }: Signing,
  { headers, body, config }: kit.ProviderWebhook,
): kit.WebhookVerdict =>
  kit.verifyTimed({
    header: headers["increase-webhook-signature"],
    body,
    key: config.metadata["secret"] ?? sharedSecret,
    readTime: parseTimestamp,
    now: clock(),
  });

const Event = z.object({
  category: z.string(),
  associated_object_id: kit.Text,
  created_at: kit.Date3339,
});

/** Reads the transaction of an event again: its present state is never older than the event. */
async function translate(
  client: IncreaseClient,
  { body }: kit.ProviderWebhook,
): Promise<kit.WebhookReport> {
  const event = kit.parseObject(Event, kit.parseBody(body), "an event");
  const about = SUBSCRIPTIONS.find(({ category }) => category === event.category);
  if (about === undefined) return {};
  const payment = await readPayment(client, about.list, event.associated_object_id);
  return payment === undefined ? {} : { payments: [payment] };
}
