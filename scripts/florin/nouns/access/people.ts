import { z } from "zod";
import { list } from "#scripts/florin/api/list.ts";
import { type Call, type Noun, type Option, type Outcome, YES } from "#scripts/florin/command.ts";
import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const User = z.object({
  id: z.string(),
  subject: z.string(),
  email: z.string(),
  name: z.string().optional(),
  issuer: z.string().optional(),
  scopes: z.array(z.string()),
  ledgers: z.array(z.string()),
  canLogIn: z.boolean(),
});
const Invitation = z.object({
  url: z.string(),
  email: z.string().optional(),
  scopes: z.array(z.string()),
  expiresAt: z.string(),
});
const SignInLink = z.object({
  url: z.string(),
  personId: z.string(),
  email: z.string(),
  expiresAt: z.string(),
});
const PasswordReset = z.object({ url: z.string(), email: z.string(), expiresAt: z.string() });

const SCOPES: Option = {
  kind: "list",
  meaning: "what the person's tokens may allow, such as ledger:read; by default, nothing",
};

const LEDGERS: Option = {
  kind: "list",
  meaning:
    "the only ledgers that the person's tokens reach: names, or beginnings such as eu-*; * stands for all",
};

export const noun: Noun = {
  summary: "People who log in",
  verbs: {
    invite: {
      summary: "Prints a link with which somebody becomes a person who can log in",
      options: {
        scopes: SCOPES,
        ledgers: LEDGERS,
        email: {
          kind: "text",
          meaning: "the person's e-mail address; without it, the person chooses one",
        },
      },
      run: invite,
    },
    list: list({
      summary: "Lists all people",
      path: "/api/florin/v1/users",
      scope: "auth:read",
      isPaged: false,
      columns: {
        Id: "id",
        Address: "email",
        Name: "name",
        Scopes: "scopes",
        Ledgers: "ledgers",
        "Can log in": "canLogIn",
      },
      empty: "There is nobody.",
    }),
    "set-scopes": {
      summary:
        "Replaces the scopes of a person, by id or e-mail address, and, with --ledgers, the ledgers",
      parameters: ["person"],
      options: { scopes: SCOPES, ledgers: LEDGERS },
      run: setScopes,
    },
    reset: {
      summary: "Prints a link with which a person, by id or e-mail address, sets a new password",
      parameters: ["person"],
      run: reset,
    },
    "sign-in-link": {
      summary: "Prints a link that signs a person, by id or e-mail address, in to the console once",
      parameters: ["person"],
      run: signInLink,
    },
    delete: {
      summary: "Deletes a person, by id or e-mail address, who is logged out",
      parameters: ["person"],
      options: YES,
      run: remove,
    },
  },
};

/** The scopes and, where the option was given, the ledgers. The API has an empty list for all ledgers. */
function permissionsOf(call: Call) {
  const scopes = call.list("scopes");
  const ledgers = call.list("ledgers");
  if (ledgers.length === 0) return { scopes };
  return { scopes, ledgers: ledgers.includes(ALL_LEDGERS) ? [] : ledgers };
}

const ALL_LEDGERS = "*";

const inLedgers = (ledgers: readonly string[]): string =>
  ledgers.length === 0 ? "" : `, in the ledgers ${ledgers.join(", ")} only`;

async function invite(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const email = call.text("email");
  const { data } = await api.call({
    method: "POST",
    path: "/api/florin/v1/invitations",
    body: { ...permissionsOf(call), ...(email === undefined ? {} : { email }) },
    answer: z.object({ data: Invitation }),
  });
  if (call.list("scopes").length === 0) {
    call.note(
      "The person will be able to log in, but to do nothing: the invitation has no scopes. `people set-scopes` gives some, or invite again with --scopes.",
    );
  }
  return { data, lines: [data.url, `The link works once, until ${data.expiresAt}.`] };
}

async function setScopes(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const { id } = await findUser(api, call.parameter("person"));
  const { data } = await api.call({
    method: "PUT",
    path: pathOf(id),
    body: permissionsOf(call),
    answer: z.object({ data: User }),
  });
  const lines = [
    `${data.email} has ${data.scopes.join(" ") || "no scopes"} now${inLedgers(data.ledgers)}.`,
  ];
  if (!data.canLogIn) {
    lines.push(
      `${data.email} cannot log in. The password does not count, because it was chosen by a link of somebody who may do less; \`people reset ${data.email}\` makes a link to choose a new one.`,
    );
  }
  return { data, lines };
}

async function reset(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const { id } = await findUser(api, call.parameter("person"));
  const { data } = await api.call({
    method: "POST",
    path: `/api/florin/v1/users/${encodeURIComponent(id)}/password-reset`,
    answer: z.object({ data: PasswordReset }),
  });
  const lines = [
    data.url,
    `${data.email} sets a new password with this link, until ${data.expiresAt}.`,
  ];
  return { data: { id, ...data }, lines };
}

async function signInLink(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const { id } = await findUser(api, call.parameter("person"));
  const { data } = await api.call({
    method: "POST",
    path: "/api/florin/v1/sign-in-links",
    body: { personId: id },
    answer: z.object({ data: SignInLink }),
  });
  const lines = [
    data.url,
    `The link signs in as ${data.email} to the console, once, until ${data.expiresAt}.`,
  ];
  return { data, lines };
}

/** The person with an id or an e-mail address. Throws `OperatorError` unless there is exactly one. */
async function findUser(api: Api, person: string): Promise<z.output<typeof User>> {
  const users = await api.call({
    method: "GET",
    path: "/api/florin/v1/users",
    answer: z.object({ data: z.array(User) }),
  });
  const isSame = (email: string): boolean => email.toLowerCase() === person.toLowerCase();
  const found = users.data.filter(({ id, email }) => id === person || isSame(email));
  const [user, another] = found;
  if (user === undefined) throw new OperatorError(`There is no person ${person}.`);
  if (another !== undefined) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new OperatorError(`Several people have the address ${person}. Give an id: ${ids}`);
  }
  return user;
}

async function remove(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const { id, email } = await findUser(api, call.parameter("person"));
  await call.confirm(email, `${email} is deleted, with the logins and tokens.`);
  await api.call({ method: "DELETE", path: pathOf(id), answer: z.undefined() });
  return { data: { id }, lines: [`There is no person ${id} now.`] };
}

const pathOf = (id: string): string => `/api/florin/v1/users/${encodeURIComponent(id)}`;
