import { z } from "zod";
import { act } from "#scripts/florin/api/act.ts";
import { money, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

const LIST = "/api/florin/v1/payments/reviews";
const PATH = `${LIST}/{review}`;
const SCOPE = "florin:operate";

const FIELDS: ShownFields = {
  Id: "id",
  Status: "status",
  Type: "type",
  Amount: money(),
  Reference: "reference",
  Reason: "reason",
};

/** The references of payments that may be meant, as `--payment` takes them. */
const referencesOf = (item: Readonly<Record<string, unknown>>): unknown =>
  z
    .array(z.object({ reference: z.string() }))
    .parse(item["candidates"])
    .map(({ reference }) => reference);

export const noun: Noun = {
  summary: "Payments of a restored deployment that a person has to decide about",
  verbs: {
    list: list({
      summary: "Lists reviews, the newest first",
      path: LIST,
      scope: SCOPE,
      moreScopes: ["payments:read"],
      filters: byMatch({ status: "text", connector_id: "text" }),
      columns: FIELDS,
      empty: "No payment needs a decision.",
    }),
    show: show({
      summary: "Shows a review, with payments of the provider that may be meant",
      parameters: ["review"],
      path: PATH,
      scope: SCOPE,
      moreScopes: ["payments:read"],
      fields: {
        ...FIELDS,
        Since: "createdAt",
        Connector: "connectorID",
        Initiation: "paymentInitiationID",
        "Status of the initiation": "paymentInitiationStatus",
        "A reversal": "reversal",
        "May be": referencesOf,
        Decision: "decision",
        Payment: "paymentReference",
        "Decided at": "decidedAt",
        "Decided by": "decidedBy",
      },
    }),
    decide: act({
      summary: "Decides about a payment: paid, not-paid (it is sent), or given-up",
      parameters: ["review", "decision"],
      options: {
        payment: {
          kind: "text",
          meaning: "the provider's reference of the payment that it has made, for paid",
        },
        unknown: {
          kind: "flag",
          meaning: "says that the payment exists, although the connector has not brought it",
        },
      },
      method: "POST",
      path: PATH,
      scope: SCOPE,
      moreScopes: ["payments:write"],
      body: (call) => ({
        decision: call.parameter("decision"),
        paymentReference: call.text("payment"),
        ...(call.flag("unknown") ? { isUnknown: true } : {}),
      }),
      says: (call) =>
        `The review ${call.parameter("review")} is decided: ${call.parameter("decision")}.`,
    }),
  },
};
