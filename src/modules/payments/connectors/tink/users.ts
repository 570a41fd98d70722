import { z } from "zod";
import type { TinkClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

const LINK_URL = "https://link.tink.com/1.0/transactions";
/** The lifetime of the code of a link, in milliseconds. */
const LINK_MS = 30 * 60_000;

export const MARKETS: readonly string[] =
  "AT BE DE DK EE ES FI FR GB IE IT LT LV NL NO PL PT SE".split(" ");
export const LOCALES: readonly string[] =
  "en_US en_GB da_DK de_DE es_ES fi_FI fr_FR it_IT nl_NL no_NO pt_PT pl_PL sv_SE et_EE lt_LT lv_LV".split(
    " ",
  );

type Users = kit.ClientWith<TinkClient, "clock" | "store">;

/** The users of open banking. Florin's ids identify them at the provider. */
export const tinkUsers = (users: Users): kit.UserPlugin => ({
  createUser: async (user) => {
    const providerUserId = await createUser(users, user);
    await users.store.insert({ name: nameOf(user.id), value: providerUserId });
    return { providerUserId, metadata: {} };
  },
  createLink: (request) => link(users, { request, page: "connect-accounts", more: {} }),
  updateLink: ({ connectionId, ...request }) =>
    link(users, { request, page: "update-consent", more: { credentials_id: connectionId } }),
  completeLink: async (callback) => completeLink(users, callback),
  deleteConnection: async ({ user, connectionId }) => {
    const path = `/api/v1/credentials/${encodeURIComponent(connectionId)}`;
    await users.client.user(user.id).send({ method: "DELETE", path });
  },
  deleteUser: async ({ user }) => {
    await deleteUser(users, user.id);
    await users.store.removeByPrefix(nameOf(user.id));
  },
});

/** The name of a user in the store. It ends with a slash, so that no name is a prefix of another name. */
const nameOf = (user: string): string => `user/${user}/`;

/** Whether this installation has created a user. Other users may belong to the same application at the provider. */
export const isOwnUser = async (store: kit.PluginStore, user: string): Promise<boolean> =>
  (await store.find(nameOf(user))) !== undefined;

const Created = z.object({ user_id: kit.Text });
const Known = z.object({ id: kit.Text });

/** Creates a user, and returns the provider's id. A user whose creation was not answered is found by Florin's id. */
async function createUser({ client }: Users, user: kit.PaymentUser): Promise<string> {
  const json = { external_user_id: user.id, market: marketOf(user), locale: localeOf(user) };
  const call = { method: "POST", path: "/api/v1/user/create", json } as const;
  try {
    return (await client.app.read(call, Created, "a user")).user_id;
  } catch (error) {
    if (!(error instanceof kit.ConnectorError) || error.kind !== "invalid") throw error;
    const known = await findUser(client, user.id);
    if (known === undefined) throw error;
    return known;
  }
}

/** The provider's id of a user; undefined if the provider does not know the user. */
async function findUser(client: TinkClient, id: string): Promise<string | undefined> {
  try {
    return (await client.user(id).read({ path: "/api/v1/user" }, Known, "a user")).id;
  } catch (error) {
    if (error instanceof kit.ConnectorError && error.kind === "invalid") return undefined;
    throw error;
  }
}

/** Deletes a user. A user whom the provider does not know any more counts as deleted. */
async function deleteUser({ client }: Users, id: string): Promise<void> {
  if ((await findUser(client, id)) === undefined) return;
  await client.user(id).send({ method: "POST", path: "/api/v1/user/delete", json: {} });
}

function marketOf({ country }: kit.PaymentUser): string {
  if (country !== undefined && MARKETS.includes(country)) return country;
  throw kit.notOneOf("address.country", country, MARKETS);
}

function localeOf({ locale }: kit.PaymentUser): string {
  if (locale !== undefined && LOCALES.includes(locale)) return locale;
  throw kit.notOneOf("contactDetails.locale", locale, LOCALES);
}

interface Link {
  readonly request: kit.LinkRequest;
  readonly page: "connect-accounts" | "update-consent";
  readonly more: Readonly<Record<string, string>>;
}

/** A link to the provider's page on which the user chooses a bank and consents. */
async function link(
  { client, clock }: Users,
  { request, page, more }: Link,
): Promise<kit.UserLink> {
  const { user, redirectUrl, state } = request;
  const [market, locale] = [marketOf(user), localeOf(user)];
  const code = await client.linkCode(user);
  const parameters = new URLSearchParams({
    client_id: client.clientID,
    redirect_uri: redirectUrl,
    authorization_code: code,
    market,
    locale,
    state,
    ...more,
  });
  return {
    url: `${LINK_URL}/${page}?${parameters.toString()}`,
    temporaryToken: code,
    expiresAt: fromMillis(toMillis(clock()) + LINK_MS),
  };
}

/** Completes a link. The browser comes back with the id of the credentials, or with an error. */
function completeLink({ clock }: Users, { query }: kit.LinkCallback): kit.LinkOutcome {
  const [error] = query["error"] ?? [];
  if (error !== undefined) return { error: [error, ...(query["message"] ?? [])].join(": ") };
  const [connectionId, ...others] = query["credentials_id"] ?? query["credentialsId"] ?? [];
  if (connectionId === undefined || connectionId === "" || others.length > 0) {
    throw kit.refused("the parameter 'credentials_id' is missing or comes several times");
  }
  return { connections: [{ connectionId, createdAt: clock(), metadata: {} }] };
}
