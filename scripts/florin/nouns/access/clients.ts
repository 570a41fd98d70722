import { z } from "zod";
import { list } from "#scripts/florin/api/list.ts";
import { columns } from "#scripts/florin/columns.ts";
import { type Call, type Noun, type Option, type Outcome, YES } from "#scripts/florin/command.ts";
import { quotaVerbs } from "#scripts/florin/verbs/client-quota.ts";
import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const Client = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  public: z.boolean(),
  trusted: z.boolean(),
  redirectUris: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()),
  scopes: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  secrets: z.array(z.object({ id: z.string(), name: z.string(), lastDigits: z.string() })),
});
type Client = z.output<typeof Client>;
const Secret = z.object({ id: z.string(), name: z.string(), clear: z.string() });

const SECRET_NAME: Option = { kind: "text", meaning: "a name for the secret" };

export const noun: Noun = {
  summary: "Programs that may ask for tokens",
  verbs: {
    create: {
      summary: "Creates a client and, unless it is public, a secret, which is shown only now",
      parameters: ["name"],
      options: {
        scopes: { kind: "list", meaning: "what its tokens may allow, such as ledger:read" },
        ledgers: {
          kind: "list",
          meaning: "the only ledgers that its tokens reach: names, or beginnings such as eu-*",
        },
        description: { kind: "text", meaning: "what the client is for" },
        public: {
          kind: "flag",
          meaning: "for a client that cannot keep a secret, as in a browser",
        },
        "device-login": {
          kind: "flag",
          meaning: "lets it log people in by device codes, as programs without a browser do",
        },
        trusted: { kind: "flag", meaning: "lets it introspect the tokens of other clients" },
        "redirect-uris": { kind: "list", meaning: "where people come back to after a login" },
        "post-logout-redirect-uris": {
          kind: "list",
          meaning: "where people come back to after a logout",
        },
      },
      run: create,
    },
    list: list({
      summary: "Lists all clients",
      path: "/api/auth/clients",
      scope: "auth:read",
      isPaged: false,
      columns: { Id: "id", Name: "name", Scopes: "scopes" },
      empty: "There are no clients.",
    }),
    show: {
      summary: "Shows a client, by id or name, with its secrets",
      parameters: ["client"],
      run: show,
    },
    delete: {
      summary: "Deletes a client, by id or name, and ends its tokens",
      parameters: ["client"],
      options: YES,
      run: remove,
    },
    "add-secret": {
      summary: "Makes another secret of a client, by id or name, which is shown only now",
      parameters: ["client"],
      options: { name: SECRET_NAME },
      run: async (call) => {
        const api = await call.connect(["auth:write", "auth:read"]);
        const { id } = await clientOf(api, call);
        const secret = await addSecret(api, id, call.text("name") ?? "");
        return { data: secret, lines: [`Secret  ${secret.clear}`] };
      },
    },
    ...quotaVerbs(clientOf),
    "delete-secret": {
      summary: "Deletes a secret of a client, by id or name",
      parameters: ["client", "secret"],
      options: YES,
      run: removeSecret,
    },
  },
};

async function create(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const isPublic = call.flag("public");
  const ledgers = call.list("ledgers");
  const { data: client } = await api.call({
    method: "POST",
    path: "/api/auth/clients",
    body: {
      name: call.parameter("name"),
      description: call.text("description") ?? "",
      public: isPublic,
      trusted: call.flag("trusted"),
      redirectUris: call.list("redirect-uris"),
      postLogoutRedirectUris: call.list("post-logout-redirect-uris"),
      scopes: call.list("scopes"),
      metadata: {
        ...(ledgers.length === 0 ? {} : { ledgers }),
        ...(call.flag("device-login") ? { deviceLogin: "true" } : {}),
      },
    },
    answer: z.object({ data: Client }),
  });
  if (isPublic) return { data: client, lines: [`Client  ${client.id}`] };
  const { clear } = await addSecret(api, client.id, "");
  return {
    data: { ...client, secret: clear },
    lines: [`Client  ${client.id}`, `Secret  ${clear}`],
  };
}

async function addSecret(api: Api, client: string, name: string) {
  const { data } = await api.call({
    method: "POST",
    path: `${pathOf(client)}/secrets`,
    body: { name },
    answer: z.object({ data: Secret }),
  });
  return data;
}

async function listOf(api: Api): Promise<Client[]> {
  const { data } = await api.call({
    method: "GET",
    path: "/api/auth/clients",
    answer: z.object({ data: z.array(Client) }),
  });
  return data;
}

async function show(call: Call): Promise<Outcome> {
  const data = await clientOf(await call.connect(["auth:read"]), call);
  return { data, lines: columns(rowsOf(data)) };
}

/** The client that the call names by its id, or by its name where only one client has it. Throws `OperatorError` for any other. */
async function clientOf(api: Api, call: Call): Promise<Client> {
  const wanted = call.parameter("client");
  const clients = await listOf(api);
  const named = clients.filter(({ name }) => name === wanted);
  const found = clients.find(({ id }) => id === wanted) ?? named[0];
  if (found === undefined) throw new OperatorError(`There is no client '${wanted}'.`);
  if (found.id === wanted || named.length === 1) return found;
  const ids = named.map(({ id }) => `  ${id}`).join("\n");
  throw new OperatorError(
    `${named.length} clients are called '${wanted}'. Name one by its id:\n${ids}`,
  );
}

const rowsOf = (client: Client): string[][] => [
  ["Id", client.id],
  ["Name", client.name],
  ["Description", client.description],
  ["Kind", `${client.public ? "public" : "confidential"}${client.trusted ? ", trusted" : ""}`],
  ["Scopes", client.scopes.join(" ")],
  ...client.redirectUris.map((uri) => ["Redirect URI", uri]),
  ...client.postLogoutRedirectUris.map((uri) => ["After logout", uri]),
  ...Object.entries(client.metadata).map(([key, value]) => ["Metadata", `${key}: ${value}`]),
  ...client.secrets.map(({ id, name, lastDigits }) => ["Secret", `${id} …${lastDigits} ${name}`]),
];

async function remove(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write", "auth:read"]);
  const { id, name } = await clientOf(api, call);
  await call.confirm(name === "" ? id : name, `The client ${id} is deleted, and its tokens end.`);
  await api.call({ method: "DELETE", path: pathOf(id), answer: z.undefined() });
  return { data: { id }, lines: [`The client ${id} is deleted.`] };
}

async function removeSecret(call: Call): Promise<Outcome> {
  const secret = call.parameter("secret");
  const api = await call.connect(["auth:write", "auth:read"]);
  const { id } = await clientOf(api, call);
  const path = `${pathOf(id)}/secrets/${encodeURIComponent(secret)}`;
  await call.confirm(secret, "Programs with the secret get no more tokens.");
  await api.call({ method: "DELETE", path, answer: z.undefined() });
  return { data: { id: secret }, lines: [`The secret ${secret} is deleted.`] };
}

const pathOf = (client: string): string => `/api/auth/clients/${encodeURIComponent(client)}`;
