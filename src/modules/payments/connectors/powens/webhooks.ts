import { z } from "zod";
import type { PowensClient } from "./client.ts";
import { splitSynchronisation, toSynchronisation } from "./synchronisation.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { type Clock, parseTimestamp, type Timestamp } from "#platform/time.ts";

/** The accepted events, with the paths that they have in the provider's console. */
export const EVENTS = {
  USER_DELETED: "/user-deleted",
  CONNECTION_SYNCED: "/connection-synced",
  CONNECTION_DELETED: "/connection-deleted",
} as const;
type PowensEvent = keyof typeof EVENTS;

export const powensWebhooks = (client: PowensClient, clock: Clock): kit.WebhookPlugin => ({
  create: (registration) => register(client, registration),
  verify: async (webhook) => verify(webhook, clock),
  translate: async ({ body, config }) => translate(config, kit.parseBody(body), clock()),
});

/** Splits synchronisations, because only they may be large. */
export const splitPowensWebhook: kit.SplitWebhook = ({ body, config: { urlPath } }) =>
  urlPath === EVENTS.CONNECTION_SYNCED
    ? (splitSynchronisation(kit.parseBody(body)) ?? [body])
    : [body];

/** Creates the signature method. The provider shows its secret once, so that a method whose secret is not stored is replaced. */
async function register(
  client: PowensClient,
  { connectorId, registered }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const there = (await client.listAuths()).filter(({ name }) => name === connectorId);
  const known = registered.find(({ metadata }) =>
    there.some(({ id }) => id === metadata["auth_id"]),
  );
  for (const { id } of there) {
    if (id !== known?.metadata["auth_id"]) await client.deleteAuth(id);
  }
  const metadata = known?.metadata ?? (await makeAuth(client, connectorId));
  return Object.entries(EVENTS).map(([name, urlPath]) => ({ name, urlPath, metadata }));
}

async function makeAuth(client: PowensClient, connectorId: string) {
  const { id, config } = await client.createAuth(connectorId);
  return { auth_id: id, secret: config.secret_key };
}

/** Removes the signature method of an installation. The webhooks themselves are declared in the provider's console. */
export async function removeWebhooks(
  client: PowensClient,
  { connectorId }: kit.InstalledWebhooks,
): Promise<void> {
  for (const { id, name } of await client.listAuths()) {
    if (name === connectorId) await client.deleteAuth(id);
  }
}

function verify(
  { config, url, method, headers, body }: kit.ProviderWebhook,
  clock: Clock,
): kit.WebhookVerdict {
  const signature = headers["bi-signature"] ?? "";
  const date = headers["bi-signature-date"] ?? "";
  const key = config.metadata["secret"] ?? "";
  if (signature === "" || date === "" || key === "") return { refused: "it is not signed" };
  const text = `${method}.${new URL(url).pathname}.${date}.${body}`;
  if (!kit.isSignedBy({ key, text, encoding: "base64" }, [signature])) {
    return { refused: "its signature is another one" };
  }
  const madeAt = timeOf(date);
  if (madeAt === undefined || !kit.isRecent(madeAt, clock())) {
    return { refused: "its signature is too old, or of the future" };
  }
  const isObject = z.looseObject({}).safeParse(kit.parseBody(body)).success && body !== "{}";
  return isObject ? { key: kit.sha256(signature, "hex") } : { refused: "it is no event" };
}

/** The time of a signature, in UTC, in the form of RFC 3339 or of HTTP; undefined for an invalid text. */
function timeOf(date: string): Timestamp | undefined {
  const text = date.replace(" ", "T");
  const time = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  if (time !== undefined) return time;
  const millis = Date.parse(date);
  return Number.isNaN(millis) ? undefined : parseTimestamp(new Date(millis).toISOString());
}

const DeletedUser = z.object({ id: kit.Id });
const DeletedConnection = z.object({ id: kit.Id, id_user: kit.Id });
/** The events by their paths. */
const EVENT_PATHS = new Map<string, PowensEvent>([
  [EVENTS.USER_DELETED, "USER_DELETED"],
  [EVENTS.CONNECTION_SYNCED, "CONNECTION_SYNCED"],
  [EVENTS.CONNECTION_DELETED, "CONNECTION_DELETED"],
]);

function translate(
  { urlPath }: kit.RegisteredWebhook,
  value: unknown,
  now: Timestamp,
): kit.WebhookReport {
  switch (EVENT_PATHS.get(urlPath)) {
    case "USER_DELETED": {
      const { id } = kit.parseObject(DeletedUser, value, "an event about a user");
      return { connections: [{ kind: "user-disconnected", providerUserId: id, at: now }] };
    }
    case "CONNECTION_DELETED": {
      const connection = kit.parseObject(DeletedConnection, value, "an event about a connection");
      const reason = "the connection was deleted at the provider";
      const about = { providerUserId: connection.id_user, connectionId: connection.id };
      return { connections: [{ kind: "disconnected", ...about, at: now, reason }] };
    }
    case "CONNECTION_SYNCED":
      return toSynchronisation(value, now);
    case undefined:
      return {};
  }
}
