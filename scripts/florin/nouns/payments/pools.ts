import { act } from "#scripts/florin/api/act.ts";
import { money, type ShownFields, textOf } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { fileOption, readJsonInput } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Noun, UsageError } from "#scripts/florin/command.ts";

const LIST = "/api/payments/v3/pools";
const PATH = `${LIST}/{pool}`;

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Type: "type",
  "Made at": "createdAt",
  Query: "query",
  Account: "poolAccounts",
};

/** What puts an account into a pool, or takes it out. */
const member = (method: "POST" | "DELETE", summary: string, done: string) =>
  act({
    summary,
    parameters: ["pool", "account"],
    method,
    path: `${PATH}/accounts/{account}`,
    scope: "payments:write",
    says: (call) => `The account ${call.parameter("account")} is ${done}.`,
  });

export const noun: Noun = {
  summary: "Pools of accounts at providers, with their balances in sum",
  verbs: {
    list: list({
      summary: "Lists the pools, the last one first",
      path: LIST,
      scope: "payments:read",
      filters: byMatch({ name: "text" }),
      columns: { Id: "id", Name: "name", Type: "type", "Made at": "createdAt" },
      empty: "There are no such pools.",
    }),
    show: show({
      summary: "Shows a pool with its accounts",
      parameters: ["pool"],
      path: PATH,
      scope: "payments:read",
      fields: FIELDS,
    }),
    balances: list({
      summary: "Lists the latest balances of a pool",
      parameters: ["pool"],
      path: `${PATH}/balances/latest`,
      scope: "payments:read",
      isPaged: false,
      columns: { Balance: money() },
      empty: "The pool has no balances.",
    }),
    create: act({
      summary: "Creates a pool of accounts, or of all accounts that a query finds",
      parameters: ["name"],
      options: {
        account: { kind: "list", meaning: "the accounts of the pool, by their ids" },
        query: fileOption("a JSON file with a query, in place of accounts"),
      },
      method: "POST",
      path: LIST,
      scope: "payments:write",
      body: (call) => {
        const accountIDs = call.list("account");
        const file = call.text("query");
        if (file !== undefined && accountIDs.length > 0) {
          throw new UsageError("A pool has accounts or a query: give --account or --query.");
        }
        const name = call.parameter("name");
        return file === undefined ? { name, accountIDs } : { name, query: readJsonInput(file) };
      },
      says: (_call, id) => `The pool ${textOf(id)} is made.`,
    }),
    add: member("POST", "Puts an account into a pool", "in the pool"),
    remove: member("DELETE", "Takes an account out of a pool", "out of the pool"),
    delete: act({
      summary: "Deletes a pool",
      parameters: ["pool"],
      method: "DELETE",
      path: PATH,
      scope: "payments:write",
      loses: (call) => ({
        name: call.parameter("pool"),
        loss: "The pool is deleted; its accounts stay.",
      }),
      says: (call) => `The pool ${call.parameter("pool")} is deleted.`,
    }),
  },
};
