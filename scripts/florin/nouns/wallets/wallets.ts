import { act } from "#scripts/florin/api/act.ts";
import { isObject, moneys, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { amountOf, METADATA, metadataOf } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Call, Noun, Option } from "#scripts/florin/command.ts";

const PATH = "/api/wallets/wallets/{wallet}";

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Ledger: "ledger",
  "Made at": "createdAt",
  "Main balance": ({ balances }) =>
    isObject(balances) && isObject(balances["main"]) ? moneys(balances["main"]["assets"]) : [],
  Metadata: "metadata",
};

const MONEY: Readonly<Record<string, Option>> = {
  balance: { kind: "text", meaning: "a balance of the wallet; main by default" },
  reference: { kind: "text", meaning: "a name that no other transaction of the ledger has" },
  ...METADATA,
};

const moved = (call: Call) => ({
  amount: { amount: amountOf(call.parameter("amount")), asset: call.parameter("asset") },
  reference: call.text("reference"),
  ...metadataOf(call.pairs("metadata")),
});

const amountText = (call: Call): string => `${call.parameter("amount")} ${call.parameter("asset")}`;

export const noun: Noun = {
  summary: "Wallets",
  verbs: {
    list: list({
      summary: "Lists all wallets",
      path: "/api/wallets/wallets",
      scope: "wallets:read",
      filters: byQuery("name"),
      columns: { Id: "id", Name: "name", "Made at": "createdAt", Metadata: "metadata" },
      empty: "There are no wallets.",
    }),
    show: show({
      summary: "Shows a wallet with its main balance",
      parameters: ["wallet"],
      path: PATH,
      scope: "wallets:read",
      fields: FIELDS,
    }),
    create: act({
      summary: "Creates a wallet",
      parameters: ["name"],
      options: METADATA,
      method: "POST",
      path: "/api/wallets/wallets",
      scope: "wallets:write",
      body: (call) => ({
        name: call.parameter("name"),
        metadata: {},
        ...metadataOf(call.pairs("metadata")),
      }),
      isIdempotent: true,
      says: FIELDS,
    }),
    balances: show({
      summary: "Shows what a wallet has: by balance, available, expiring and held",
      parameters: ["wallet"],
      path: `${PATH}/summary`,
      scope: "wallets:read",
      fields: {
        Available: ({ availableFunds }) => moneys(availableFunds),
        Expiring: ({ expirableFunds }) => moneys(expirableFunds),
        Expired: ({ expiredFunds }) => moneys(expiredFunds),
        Held: ({ holdFunds }) => moneys(holdFunds),
        Balance: ({ balances }) =>
          (Array.isArray(balances) ? balances : [])
            .filter(isObject)
            .map(({ name, assets }) => [`${String(name)}:`, ...moneys(assets)]),
      },
    }),
    "create-balance": act({
      summary: "Adds a balance to a wallet",
      parameters: ["wallet", "name"],
      options: {
        "expires-at": { kind: "text", meaning: "until when it can be spent" },
        priority: { kind: "text", meaning: "a whole number; lower ones are spent first" },
      },
      method: "POST",
      path: `${PATH}/balances`,
      scope: "wallets:write",
      body: (call) => {
        const priority = call.text("priority");
        return {
          name: call.parameter("name"),
          expiresAt: call.text("expires-at"),
          ...(priority === undefined ? {} : { priority: amountOf(priority) }),
        };
      },
      isIdempotent: true,
      says: { Name: "name", "Expires at": "expiresAt", Priority: "priority" },
    }),
    credit: act({
      summary: "Puts money into a wallet, such as 100 USD/2, from outside of the ledger",
      parameters: ["wallet", "amount", "asset"],
      options: MONEY,
      method: "POST",
      path: `${PATH}/credit`,
      scope: "wallets:write",
      body: (call) => ({ ...moved(call), sources: [], balance: call.text("balance") }),
      isIdempotent: true,
      says: (call) => `${amountText(call)} came into the wallet.`,
    }),
    debit: act({
      summary: "Takes money out of a wallet, such as 100 USD/2, or holds it",
      parameters: ["wallet", "amount", "asset"],
      options: {
        ...MONEY,
        to: { kind: "text", meaning: "an account of the ledger; outside of it by default" },
        pending: {
          kind: "flag",
          meaning: "holds the money, until `holds confirm` or `holds void`",
        },
        description: { kind: "text", meaning: "what the hold is for" },
      },
      method: "POST",
      path: `${PATH}/debit`,
      scope: "wallets:write",
      body: (call) => {
        const [balance, account] = [call.text("balance"), call.text("to")];
        return {
          ...moved(call),
          pending: call.flag("pending"),
          description: call.text("description"),
          ...(balance === undefined ? {} : { balances: [balance] }),
          ...(account === undefined
            ? {}
            : { destination: { type: "ACCOUNT", identifier: account } }),
        };
      },
      isIdempotent: true,
      says: (call, hold) =>
        isObject(hold) && typeof hold["id"] === "string"
          ? `${amountText(call)} is held by the hold ${hold["id"]}.`
          : `${amountText(call)} went out of the wallet.`,
    }),
  },
};
