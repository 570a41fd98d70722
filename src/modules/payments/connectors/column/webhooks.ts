import { z } from "zod";
import type { ColumnClient } from "./client.ts";
import { toPayment } from "./payments.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The types of events of each kind of transfer. */
const TOLD: Readonly<Record<string, string>> = {
  "book.transfer": "completed canceled updated hold_created",
  "wire.outgoing_transfer": "initiated completed submitted rejected manual_review",
  "wire.incoming_transfer": "completed",
  "ach.outgoing_transfer":
    "initiated manual_review submitted settled completed canceled returned return_contested return_dishonored noc",
  "ach.incoming_transfer":
    "scheduled settled completed nsf returned return_contested return_dishonored",
  "swift.outgoing_transfer":
    "initiated manual_review submitted completed pending_return returned cancellation_requested cancellation_accepted cancellation_rejected tracking_updated",
  "swift.incoming_transfer":
    "initiated completed pending_return returned cancellation_requested cancellation_accepted cancellation_rejected tracking_updated",
  "realtime.outgoing_transfer":
    "initiated completed rejected manual_review manual_review_approved manual_review_rejected",
  "realtime.incoming_transfer": "completed",
};

/** The types of events that the endpoint of an installation receives. */
export const EVENTS: readonly string[] = Object.entries(TOLD).flatMap(([transfer, types]) =>
  types.split(" ").map((type) => `${transfer}.${type}`),
);

const NAME = "events";
const URL_PATH = "/events";

export const columnWebhooks = (client: ColumnClient): kit.WebhookPlugin => ({
  create: (registration) => register(client, registration),
  verify: async (webhook) => verify(webhook),
  translate: async (webhook) => translate(webhook),
});

const Endpoint = z.object({
  id: kit.Text,
  url: z.string(),
  enabled_events: z.array(z.string()),
  secret: z.string().nullish(),
});
type Endpoint = z.output<typeof Endpoint>;

const listEndpoints = (client: ColumnClient): Promise<Endpoint[]> =>
  kit.readEndpoints<Endpoint, string>(async (after, limit) => {
    const place = after === undefined ? {} : { after };
    const { items, hasMore } = await client.list("/webhook-endpoints", { limit, ...place });
    return {
      endpoints: items.map(({ value }) => kit.parseObject(Endpoint, value, "a webhook endpoint")),
      next: hasMore ? items.at(-1)?.id : undefined,
    };
  });

const pathOf = ({ id }: Pick<Endpoint, "id">): string =>
  `/webhook-endpoints/${encodeURIComponent(id)}`;

/**
 * Creates the endpoint. An existing endpoint is kept if its secret is stored; otherwise a crash has prevented that, and the endpoint is
 * replaced.
 */
async function register(
  client: ColumnClient,
  { baseUrl, registered }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const url = `${baseUrl}${URL_PATH}`;
  if (!url.startsWith("https:")) {
    throw kit.refused("the provider delivers webhooks to https URLs only");
  }
  let kept: kit.RegisteredWebhook | undefined;
  for (const endpoint of (await listEndpoints(client)).filter((each) => each.url === url)) {
    const known = registered.find(({ metadata }) => metadata["endpoint_id"] === endpoint.id);
    if (kept === undefined && known !== undefined && hasAllEvents(endpoint)) kept = known;
    else await client.remove(pathOf(endpoint));
  }
  return [kept ?? (await createEndpoint(client, url))];
}

const hasAllEvents = ({ enabled_events: enabled }: Endpoint): boolean =>
  EVENTS.every((event) => enabled.includes(event));

async function createEndpoint(client: ColumnClient, url: string): Promise<kit.RegisteredWebhook> {
  const value = await client.create("/webhook-endpoints", { url, enabled_events: EVENTS });
  const { id, secret } = kit.parseObject(Endpoint, value, "a webhook endpoint");
  if (!secret) throw kit.refused("a webhook endpoint has no secret");
  return { name: NAME, urlPath: URL_PATH, metadata: { endpoint_id: id, secret } };
}

/** Removes all endpoints of an installation: a repeated registration may have created several. */
export async function removeWebhooks(client: ColumnClient, connectorId: string): Promise<void> {
  for (const endpoint of await listEndpoints(client)) {
    if (endpoint.url.includes(`/${connectorId}/`)) await client.remove(pathOf(endpoint));
  }
}

function verify({ headers, body, config }: kit.ProviderWebhook): kit.WebhookVerdict {
  const signature = headers["column-signature"];
  const key = config.metadata["secret"] ?? "";
  if (signature === undefined || key === "") return { refused: "it has no signature" };
  if (!kit.isSignedBy({ key, text: body, encoding: "hex" }, [signature.toLowerCase()])) {
    return { refused: "the signature does not fit" };
  }
  return kit.verdictOnEvent(body);
}

const Event = z.object({
  id: kit.Text,
  type: z.string(),
  created_at: kit.Date3339,
  data: z.unknown(),
});

/** The state of a payment that an event reports. An event contains the transfer as it was at the time of the event. */
function translate({ body }: kit.ProviderWebhook): kit.WebhookReport {
  const { id, type, created_at, data } = kit.parseObject(Event, kit.parseBody(body), "an event");
  if (!EVENTS.includes(type)) return {};
  const [rail = "", direction = ""] = type.split(".");
  const payment = toPayment(data, {
    rail,
    isIncoming: direction === "incoming_transfer",
    event: { id, at: created_at },
  });
  return payment === undefined ? {} : { payments: [payment] };
}
