import { act } from "#scripts/florin/api/act.ts";
import { type ApiItem, isObject, moneyText } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { membersOf } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

const PATH = "/api/ledger/v2/{ledger}/accounts";
const VOLUMES = { expand: "volumes" };

/** The balances of an account, such as `100 USD/2`. */
const balances = ({ volumes }: ApiItem): string[] =>
  Object.entries(isObject(volumes) ? volumes : {}).map(([asset, volume]) =>
    moneyText(isObject(volume) ? volume["balance"] : undefined, asset),
  );

const KEYS = {
  address: "text",
  balance: "integer",
  "balance[]": "integer",
  first_usage: "text",
  "metadata[]": "text",
} as const;

export const noun: Noun = {
  summary: "Accounts of a ledger",
  verbs: {
    list: list({
      summary: "Lists the accounts of a ledger, with their balances",
      parameters: ["ledger"],
      path: PATH,
      scope: "ledger:read",
      query: VOLUMES,
      filters: byMatch(KEYS),
      columns: {
        Account: "address",
        Balances: (item) => balances(item).join(", "),
        "First used at": "firstUsage",
        Metadata: "metadata",
      },
      empty: "There are no such accounts.",
    }),
    show: show({
      summary: "Shows an account with its balances",
      parameters: ["ledger", "account"],
      path: `${PATH}/{account}`,
      scope: "ledger:read",
      query: VOLUMES,
      fields: {
        Account: "address",
        "First used at": "firstUsage",
        Balance: balances,
        Metadata: "metadata",
      },
    }),
    balances: list({
      summary: "Lists what the accounts of a ledger have received and sent, by account and asset",
      parameters: ["ledger"],
      path: "/api/ledger/v2/{ledger}/volumes",
      scope: "ledger:read",
      filters: byMatch({ account: "text", ...KEYS }),
      columns: {
        Account: "account",
        Asset: "asset",
        Received: "input",
        Sent: "output",
        Balance: "balance",
      },
      empty: "There are no such balances.",
    }),
    "set-metadata": act({
      summary: "Sets members of an account's metadata, such as owner=ada",
      parameters: ["ledger", "account"],
      words: "key=value",
      method: "POST",
      path: `${PATH}/{account}/metadata`,
      scope: "ledger:write",
      body: membersOf,
      isIdempotent: true,
      says: (call) => `The metadata of ${call.parameter("account")} is set.`,
    }),
    "delete-metadata": act({
      summary: "Deletes a member of an account's metadata",
      parameters: ["ledger", "account", "key"],
      method: "DELETE",
      path: `${PATH}/{account}/metadata/{key}`,
      scope: "ledger:write",
      isIdempotent: true,
      says: (call) => `${call.parameter("key")} is deleted.`,
    }),
  },
};
