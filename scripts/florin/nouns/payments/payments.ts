import { isObject, money, moneyText } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

export const noun: Noun = {
  summary: "Payments that providers report",
  verbs: {
    list: list({
      summary: "Lists the payments, the last one first",
      path: "/api/payments/v3/payments",
      scope: "payments:read",
      filters: byMatch({
        id: "text",
        reference: "text",
        connector_id: "text",
        type: "text",
        asset: "text",
        scheme: "text",
        status: "text",
        source_account_id: "text",
        destination_account_id: "text",
        amount: "integer",
        "metadata[]": "text",
      }),
      columns: {
        Id: "id",
        Date: "createdAt",
        Type: "type",
        Status: "status",
        Amount: money(),
        Reference: "reference",
      },
      empty: "There are no such payments.",
    }),
    show: show({
      summary: "Shows a payment with its history",
      parameters: ["payment"],
      path: "/api/payments/v3/payments/{payment}",
      scope: "payments:read",
      fields: {
        Id: "id",
        Reference: "reference",
        Connector: "connectorID",
        Date: "createdAt",
        Type: "type",
        Status: "status",
        Amount: money(),
        "First amount": money("initialAmount"),
        Scheme: "scheme",
        From: "sourceAccountID",
        To: "destinationAccountID",
        Change: ({ adjustments }) =>
          (Array.isArray(adjustments) ? adjustments : [])
            .filter(isObject)
            .map((item) => [
              item["createdAt"],
              item["status"],
              moneyText(item["amount"], item["asset"]),
            ]),
        Metadata: "metadata",
      },
    }),
  },
};
