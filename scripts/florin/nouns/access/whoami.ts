import { decodeJwt, type JWTPayload } from "jose";
import { textOf } from "#scripts/florin/api/fields.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { Noun } from "#scripts/florin/command.ts";
import { findAccess } from "#scripts/florin/login/access.ts";
import { LoginStore } from "#scripts/florin/login/login-store.ts";

/** What a token says. A token that is no JWT says nothing here. */
function claimsOf(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {}; // The issuer of the token may have another kind.
  }
}

export const noun: Noun = {
  summary: "Who you are for a server",
  alone: {
    summary: "Shows as whom commands act, and what they may do",
    run: async (call) => {
      const access = findAccess(call.env, call.url);
      const token = await access.token([]);
      const { sub = "", client_id: client, scope, ledgers } = claimsOf(token);
      const person = LoginStore.of(call.env).find(access.url);
      const isPerson = person?.accessToken === token;
      const data = { url: access.url, subject: sub, client, scope, ledgers };
      const lines = columns([
        ["Server", access.url],
        ...(isPerson ? [["Person", person.person]] : []),
        ...(sub === "" ? [] : [["Subject", sub]]),
        ["Client", textOf(client)],
        ["Scopes", textOf(scope)],
        ...(Array.isArray(ledgers) ? [["Ledgers", ledgers.join(" ")]] : []),
      ]);
      return { data: { ...data, ...(isPerson ? { person: person.person } : {}) }, lines };
    },
  },
  verbs: {},
};
