import { z } from "zod";
import type { IncreaseClient } from "./client.ts";
import { readPayment, type TransactionList } from "./payments.ts";
import type { InstalledWebhooks } from "#modules/payments/connectors/contract.ts";
import { Date3339, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import {
  isRecent,
  isSignedBy,
  parseTimedSignature,
} from "#modules/payments/connectors/kit/signatures.ts";
import type {
  ProviderWebhook,
  RegisteredWebhook,
  WebhookPlugin,
  WebhookRegistration,
  WebhookReport,
  WebhookVerdict,
} from "#modules/payments/connectors/webhook-contract.ts";
import { parseJson } from "#platform/json.ts";
import { type Clock, parseTimestamp } from "#platform/time.ts";

/** What is subscribed to, and where each event names a transaction. */
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

export const increaseWebhooks = (client: IncreaseClient, signing: Signing): WebhookPlugin => ({
  create: (registration) => register(client, signing, registration),
  verify: async (webhook) => verify(signing, webhook),
  translate: (webhook) => translate(client, webhook),
});

const Subscription = z.object({ id: Text, url: z.string(), status: z.string() });
type Subscription = z.output<typeof Subscription>;

const PER_PAGE = 100;
/** Most pages of subscriptions that are looked through: a key has few. */
const PAGES_MAX = 20;

async function listSubscriptions(client: IncreaseClient): Promise<Subscription[]> {
  const found: Subscription[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.list("/event_subscriptions", {
      cursor,
      since: undefined,
      pageSize: PER_PAGE,
    });
    found.push(...page.values.map((value) => parseObject(Subscription, value, "a subscription")));
    if (page.next === undefined) break;
    cursor = page.next;
  }
  return found.filter(({ status }) => status !== "deleted");
}

/** The provider does not show the secret of a subscription: one that was not made with the present secret is made anew. */
async function register(
  client: IncreaseClient,
  { sharedSecret: secret }: Signing,
  { baseUrl, registered }: WebhookRegistration,
): Promise<RegisteredWebhook[]> {
  const found = await listSubscriptions(client);
  const webhooks: RegisteredWebhook[] = [];
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
      known ?? parseObject(Subscription, await client.subscribe(json), "a subscription");
    webhooks.push({ name: id, urlPath, metadata: { secret } });
  }
  return webhooks;
}

/** Removes the subscriptions of an installation, also those whose making was not stored. */
export async function removeWebhooks(
  client: IncreaseClient,
  { connectorId, webhooks }: InstalledWebhooks,
): Promise<void> {
  const names = new Set(webhooks.map(({ name }) => name));
  for (const { id, url } of await listSubscriptions(client)) {
    if (names.has(id) || url.includes(`/${connectorId}/`)) await client.unsubscribe(id);
  }
}

/** How far the time of a signature may be from now, in milliseconds. */
const TOLERANCE_MS = 300_000;

/** The subscription may still have the secret that it was made with. */
function verify(
  { sharedSecret, clock }: Signing,
  { headers, body, config }: ProviderWebhook,
): WebhookVerdict {
  const signature = parseTimedSignature(headers["increase-webhook-signature"]);
  if (signature === undefined) return { refused: "it is not signed" };
  const { time, signatures } = signature;
  const key = config.metadata["secret"] ?? sharedSecret;
  if (!isSignedBy({ key, text: `${time}.${body}`, encoding: "hex" }, signatures)) {
    return { refused: "its signature is another one" };
  }
  const madeAt = parseTimestamp(time);
  if (madeAt === undefined || !isRecent(madeAt, clock(), TOLERANCE_MS)) {
    return { refused: "its signature is too old, or of the future" };
  }
  const { data } = Identified.safeParse(parseBody(body));
  return data === undefined ? { refused: "it is no event" } : { key: data.id };
}

const Identified = z.object({ id: Text });

function parseBody(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined; // which is no event
  }
}

const Event = z.object({
  category: z.string(),
  associated_object_id: Text,
  created_at: Date3339,
});

/** The transaction is read: what it is now is never older than the event. */
async function translate(
  client: IncreaseClient,
  { body }: ProviderWebhook,
): Promise<WebhookReport> {
  const event = parseObject(Event, parseBody(body), "an event");
  const about = SUBSCRIPTIONS.find(({ category }) => category === event.category);
  if (about === undefined) return {};
  const payment = await readPayment(client, about.list, event.associated_object_id);
  return payment === undefined ? {} : { payments: [payment] };
}
