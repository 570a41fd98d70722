import { z } from "zod";
import type { MangopayClient } from "./client.ts";
import { toPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The types of events, each with the path of its webhook and the list that contains the object of an event. */
export const EVENTS: readonly {
  readonly type: string;
  readonly urlPath: string;
  readonly list: "transfers" | "payouts" | "payins" | "refunds";
}[] = [
  { type: "TRANSFER_NORMAL_CREATED", urlPath: "/transfer/created", list: "transfers" },
  { type: "TRANSFER_NORMAL_FAILED", urlPath: "/transfer/failed", list: "transfers" },
  { type: "TRANSFER_NORMAL_SUCCEEDED", urlPath: "/transfer/succeeded", list: "transfers" },
  { type: "PAYOUT_NORMAL_CREATED", urlPath: "/payout/normal/created", list: "payouts" },
  { type: "PAYOUT_NORMAL_FAILED", urlPath: "/payout/normal/failed", list: "payouts" },
  { type: "PAYOUT_NORMAL_SUCCEEDED", urlPath: "/payout/normal/succeeded", list: "payouts" },
  // A failed instant payout continues as a regular payout.
  { type: "INSTANT_PAYOUT_FALLBACKED", urlPath: "/payout/instant/failed", list: "payouts" },
  { type: "INSTANT_PAYOUT_SUCCEEDED", urlPath: "/payout/instant/succeeded", list: "payouts" },
  { type: "PAYIN_NORMAL_CREATED", urlPath: "/payin/normal/created", list: "payins" },
  { type: "PAYIN_NORMAL_SUCCEEDED", urlPath: "/payin/normal/succeeded", list: "payins" },
  { type: "PAYIN_NORMAL_FAILED", urlPath: "/payin/normal/failed", list: "payins" },
  { type: "TRANSFER_REFUND_FAILED", urlPath: "/refund/transfer/failed", list: "refunds" },
  { type: "TRANSFER_REFUND_SUCCEEDED", urlPath: "/refund/transfer/succeeded", list: "refunds" },
  { type: "PAYOUT_REFUND_FAILED", urlPath: "/refund/payout/failed", list: "refunds" },
  { type: "PAYOUT_REFUND_SUCCEEDED", urlPath: "/refund/payout/succeeded", list: "refunds" },
  { type: "PAYIN_REFUND_FAILED", urlPath: "/refund/payin/failed", list: "refunds" },
  { type: "PAYIN_REFUND_SUCCEEDED", urlPath: "/refund/payin/succeeded", list: "refunds" },
];

export const mangopayWebhooks = (client: MangopayClient): kit.WebhookPlugin => ({
  create: (registration) => register(client, registration),
  verify: async (webhook) => verify(webhook),
  translate: (webhook) => translate(client, webhook),
});

const Hook = z.object({
  Id: kit.Text,
  Url: z.string(),
  Status: z.string(),
  Validity: z.string(),
  EventType: z.string(),
});
type Hook = z.output<typeof Hook>;

const PER_PAGE = 100;
/** Most pages of hooks that are read. A client has one hook for each type of event. */
const PAGES_MAX = 10;

async function listHooks(client: MangopayClient): Promise<Hook[]> {
  const found: Hook[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const values = await client.list("/hooks", { page, pageSize: PER_PAGE });
    found.push(...values.map((value) => kit.parseObject(Hook, value, "a hook")));
    if (values.length < PER_PAGE) break;
  }
  return found;
}

const pathOf = ({ Id }: Hook): string => `/hooks/${encodeURIComponent(Id)}`;

/** Registers the hooks. The provider allows one hook for each type of event, so that existing hooks get the URL of this installation. */
async function register(
  client: MangopayClient,
  { baseUrl }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const hooks = await listHooks(client);
  for (const { type, urlPath } of EVENTS) {
    const url = `${baseUrl}${urlPath}`;
    const hook = hooks.find(({ EventType }) => EventType === type);
    if (hook === undefined) await client.create("/hooks", { EventType: type, Url: url });
    else await leadTo(client, hook, url);
  }
  return EVENTS.map(({ type, urlPath }) => ({ name: type, urlPath, metadata: {} }));
}

async function leadTo(client: MangopayClient, hook: Hook, url: string): Promise<void> {
  const isValid = hook.Validity === "VALID";
  if (isValid && hook.Status === "ENABLED" && hook.Url === url) return;
  // The provider has given up on an invalid hook until it is disabled and enabled again.
  if (!isValid) await client.update(pathOf(hook), { Url: url, Status: "DISABLED" });
  await client.update(pathOf(hook), { Url: url, Status: "ENABLED" });
}

/** Disables the hooks of an installation, because hooks cannot be deleted. */
export async function disableHooks(client: MangopayClient, connectorId: string): Promise<void> {
  for (const hook of await listHooks(client)) {
    if (hook.Status === "DISABLED" || !hook.Url.includes(`/${connectorId}/`)) continue;
    await client.update(pathOf(hook), { Url: hook.Url, Status: "DISABLED" });
  }
}

const Notification = z.object({ EventType: kit.Text, RessourceId: kit.Text, Date: kit.Text });

function readNotification({ query }: kit.ProviderWebhook) {
  const first = Object.entries(query).map(([name, [value]]) => [name, value]);
  return Notification.safeParse(Object.fromEntries(first)).data;
}

/**
 * Verifies a notification by its form only. The provider signs nothing, but the URL contains the id of the connector, which only the
 * provider knows. The notification only says which object to read from the provider.
 */
function verify(webhook: kit.ProviderWebhook): kit.WebhookVerdict {
  const notification = readNotification(webhook);
  if (notification === undefined) return { refused: "it names no object" };
  const { EventType, RessourceId, Date } = notification;
  return EventType === webhook.config.name
    ? { key: `${EventType} ${RessourceId} ${Date}` }
    : { refused: "the event belongs to another URL" };
}

async function translate(
  client: MangopayClient,
  webhook: kit.ProviderWebhook,
): Promise<kit.WebhookReport> {
  const notification = readNotification(webhook);
  const event = EVENTS.find(({ type }) => type === notification?.EventType);
  if (notification === undefined || event === undefined) return {};
  const path = `/${event.list}/${encodeURIComponent(notification.RessourceId)}`;
  const value = await client.find(path, z.unknown(), "a transaction");
  const payment = value === undefined ? undefined : toPayment(value);
  return payment === undefined ? {} : { payments: [payment] };
}
