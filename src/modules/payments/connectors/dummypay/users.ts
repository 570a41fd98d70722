import * as kit from "#modules/payments/connectors/kit/index.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The lifetime of a link, in milliseconds. */
const LINK_MS = 24 * 3_600_000;

/** Open banking without a bank. A link leads directly to the redirect endpoint, with the outcome that the configuration sets. */
export function dummyUsers(
  config: kit.PluginConfig,
  { store, clock }: kit.PluginPorts,
): kit.UserPlugin {
  return {
    createUser: async ({ id }) => {
      await store.insert({ name: userName(id), value: stringifyJson({ id }) });
      return { providerUserId: id, metadata: {} };
    },
    createLink: async (request) => ({
      url: withQuery(request.redirectUrl, {
        noRedirect: "true",
        state: request.state,
        status: statusOf(config["linkFlowError"]),
        user_id: providerUserOf(request),
      }),
      temporaryToken: newId(),
      expiresAt: fromMillis(toMillis(clock()) + LINK_MS),
    }),
    updateLink: async (request) => ({
      url: withQuery(request.redirectUrl, {
        state: request.state,
        status: statusOf(config["updateLinkFlowError"]),
        user_id: providerUserOf(request),
      }),
      temporaryToken: newId(),
      expiresAt: fromMillis(toMillis(clock()) + LINK_MS),
    }),
    completeLink: async (callback) => {
      const user = only(callback, "user_id");
      const status = only(callback, "status");
      if (user !== providerUserOf(callback)) {
        throw kit.refused("the user is not the one of the link");
      }
      if (status === "error") return { error: "error" };
      if (status !== "success") throw kit.refused(`the status '${status}' is not known`);
      const connectionId = newId();
      const createdAt = clock();
      const value = stringifyJson({ connectionId, createdAt });
      await store.insert({ name: `${connectionPrefix(user)}${connectionId}`, value });
      return { connections: [{ connectionId, createdAt, metadata: {} }] };
    },
    deleteConnection: async ({ connectionId, ...user }) => {
      await store.removeByPrefix(`${connectionPrefix(providerUserOf(user))}${connectionId}`);
    },
    deleteUser: async (user) => {
      const id = providerUserOf(user);
      await store.removeByPrefix(connectionPrefix(id));
      await store.removeByPrefix(userName(id));
    },
  };
}

/** The account of a user at the bank of a connection. */
export const accountOfConnection = (
  { user, connectionId }: kit.LinkedUser,
  createdAt: Timestamp,
): kit.ProviderAccount => ({
  reference: `bank-${connectionId}`,
  name: `Bank account of ${user.name}`,
  createdAt,
  metadata: {},
  raw: stringifyJson({ connectionId }),
});

const userName = (id: string): string => `user/${id}`;
const connectionPrefix = (user: string): string => `connection/${user}/`;

const statusOf = (isError: kit.PluginConfig[string] | undefined): string =>
  isError === true ? "error" : "success";

const providerUserOf = ({ user, forwarded }: Pick<kit.LinkRequest, "user" | "forwarded">): string =>
  forwarded.providerUserId ?? user.id;

function withQuery(target: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The value of a parameter that must occur exactly once. */
function only({ query }: kit.LinkCallback, name: string): string {
  const [value, ...others] = query[name] ?? [];
  if (value !== undefined && others.length === 0) return value;
  throw kit.refused(`the parameter '${name}' is missing or comes several times`);
}
