import { z } from "zod";
import { tokenOf } from "./accounts.ts";
import { isPlaidError, type PlaidClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Clock } from "#platform/time.ts";

/** The languages and countries that the provider's links support. */
export const LANGUAGES = new Set("da nl en et fr de hi it lv lt no pl pt ro es sv vi".split(" "));
export const COUNTRIES = new Set(
  "AT BE CA DE DK EE ES FI FR GB IE IT LT LV NL NO PL PT SE US".split(" "),
);

const User = z.object({ user_id: kit.Text, user_token: kit.OptionalText });
const LinkToken = z.object({
  link_token: kit.Text,
  hosted_link_url: kit.Text,
  expiration: kit.Date3339,
});
const Exchanged = z.object({ access_token: kit.Text, item_id: kit.Text });
const Done = z.looseObject({});

export const plaidUsers = (client: PlaidClient, clock: Clock): kit.UserPlugin => ({
  createUser: async ({ id }) => {
    const call = { path: "/user/create", json: { client_user_id: id } };
    const { user_id, user_token } = await client.call(call, User);
    return { providerUserId: user_id, ...kit.given({ accessToken: user_token }), metadata: {} };
  },
  createLink: async (request) =>
    toLink(client, {
      ...linkOf(request),
      products: ["transactions"],
      account_filters: { depository: { account_subtypes: ["checking", "savings"] } },
      enable_multi_item_link: true,
    }),
  updateLink: async (request) =>
    toLink(client, { ...linkOf(request), access_token: tokenOf(request) }),
  completeLink: (callback) => completeLink(client, clock, callback),
  deleteConnection: (connection) =>
    removing("ITEM_NOT_FOUND", () =>
      client.call({ path: "/item/remove", json: { access_token: tokenOf(connection) } }, Done),
    ),
  deleteUser: async ({ forwarded: { accessToken, providerUserId } }) => {
    const json =
      accessToken === undefined ? { user_id: providerUserId } : { user_token: accessToken };
    await removing("USER_NOT_FOUND", () => client.call({ path: "/user/remove", json }, Done));
  },
});

/** Removes an object. The error code of an object that does not exist any more counts as success. */
async function removing(code: string, remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isPlaidError(error, code)) throw error;
  }
}

/** The members of a link for a new or an existing connection. The provider reports the end of the attempt at the webhook URL. */
function linkOf(request: kit.LinkRequest): object {
  const { user, forwarded, applicationName, clientRedirectUrl, webhookUrl, attemptId } = request;
  const [language = ""] = (user.locale ?? "").toLowerCase().split(/[-_]/, 1);
  const country = (user.country ?? "").toUpperCase();
  if (user.name === "") throw kit.refused("the user has to have a name");
  if (!LANGUAGES.has(language)) {
    throw kit.refused("the user has to have a locale of a known language");
  }
  if (!COUNTRIES.has(country)) {
    throw kit.refused("the user has to have an address in a known country");
  }
  if (applicationName === undefined || applicationName === "") {
    throw kit.refused("the name of the application is required");
  }
  return {
    client_name: applicationName,
    language,
    country_codes: [country],
    user: kit.given({
      client_user_id: user.id,
      legal_name: user.name,
      email_address: user.email,
    }),
    ...kit.given({ user_token: forwarded.accessToken }),
    webhook: `${webhookUrl}/all?attemptID=${encodeURIComponent(attemptId)}`,
    hosted_link: { completion_redirect_uri: clientRedirectUrl },
  };
}

async function toLink(client: PlaidClient, json: object): Promise<kit.UserLink> {
  const made = await client.call({ path: "/link/token/create", json }, LinkToken);
  return {
    url: made.hosted_link_url,
    temporaryToken: made.link_token,
    expiresAt: made.expiration,
  };
}

/** Exchanges each public token for a connection with its access token. An attempt that renews a connection has no public token. */
async function completeLink(
  client: PlaidClient,
  clock: Clock,
  { query, temporaryToken }: kit.LinkCallback,
): Promise<kit.LinkOutcome> {
  const [linkToken, ...others] = query["link_token"] ?? [];
  const isOwn = linkToken !== undefined && kit.isSameText(linkToken, temporaryToken ?? "");
  if (others.length > 0 || !isOwn) throw kit.refused("the link is not the one of the attempt");
  const tokens = query["public_token"] ?? [];
  const [status = tokens.length > 0 ? "success" : "exited"] = query["status"] ?? [];
  if (status !== "success") return { error: status };
  const connections: kit.UserConnection[] = [];
  for (const public_token of tokens) {
    const call = { path: "/item/public_token/exchange", json: { public_token } };
    const { item_id, access_token } = await client.call(call, Exchanged);
    const createdAt = clock();
    connections.push({ connectionId: item_id, accessToken: access_token, createdAt, metadata: {} });
  }
  return { connections };
}
