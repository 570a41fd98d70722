import { act } from "#scripts/florin/api/act.ts";
import { money } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { amountOf } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

const PATH = "/api/wallets/holds/{hold}";

export const noun: Noun = {
  summary: "Money of wallets that is set aside",
  verbs: {
    list: list({
      summary: "Lists the holds",
      path: "/api/wallets/holds",
      scope: "wallets:read",
      filters: byQuery("walletID"),
      columns: {
        Id: "id",
        Wallet: "walletID",
        Asset: "asset",
        Description: "description",
        "Expires at": "expiresAt",
      },
      empty: "There are no holds.",
    }),
    show: show({
      summary: "Shows a hold",
      parameters: ["hold"],
      path: PATH,
      scope: "wallets:read",
      fields: {
        Id: "id",
        Wallet: "walletID",
        Amount: money("originalAmount"),
        "Still held": money("remaining"),
        For: "destination.identifier",
        Description: "description",
        "Expires at": "expiresAt",
        Metadata: "metadata",
      },
    }),
    confirm: act({
      summary: "Moves held money to where it was meant for, all of it by default",
      parameters: ["hold"],
      options: {
        amount: { kind: "text", meaning: "only this part, in the asset's smallest unit" },
        final: { kind: "flag", meaning: "gives the rest back to the wallet" },
      },
      method: "POST",
      path: `${PATH}/confirm`,
      scope: "wallets:write",
      body: (call) => {
        const amount = call.text("amount");
        return {
          final: call.flag("final"),
          ...(amount === undefined ? {} : { amount: amountOf(amount) }),
        };
      },
      isIdempotent: true,
      says: (call) => `The hold ${call.parameter("hold")} is confirmed.`,
    }),
    void: act({
      summary: "Gives held money back to the wallet",
      parameters: ["hold"],
      method: "POST",
      path: `${PATH}/void`,
      scope: "wallets:write",
      isIdempotent: true,
      says: (call) => `The money of the hold ${call.parameter("hold")} is back in the wallet.`,
    }),
  },
};
