import { act } from "#scripts/florin/api/act.ts";
import { money, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { amountOf, METADATA, metadataOf } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Noun, UsageError, type Verb } from "#scripts/florin/command.ts";

const PATH = "/api/payments/v3/payment-initiations/{initiation}";

const TASK: ShownFields = { Task: "taskID", Reversal: "paymentInitiationReversalID" };

/** A decision on an initiation. */
const decision = (name: "approve" | "retry" | "reject", summary: string, done: string): Verb =>
  act({
    summary,
    parameters: ["initiation"],
    method: "POST",
    path: `${PATH}/${name}`,
    scope: "payments:write",
    says: (call) => `The initiation ${call.parameter("initiation")} ${done}.`,
  });

export const noun: Noun = {
  summary: "Orders to providers to move money",
  verbs: {
    list: list({
      summary: "Lists the initiations, the last one first",
      path: "/api/payments/v3/payment-initiations",
      scope: "payments:read",
      filters: byMatch({
        id: "text",
        reference: "text",
        connector_id: "text",
        type: "text",
        asset: "text",
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
        "Made by": "createdBy",
      },
      empty: "There are no such initiations.",
    }),
    show: show({
      summary: "Shows an initiation",
      parameters: ["initiation"],
      path: PATH,
      scope: "payments:read",
      fields: {
        Id: "id",
        Reference: "reference",
        Description: "description",
        Connector: "connectorID",
        "Made at": "createdAt",
        "Made by": "createdBy",
        "Due at": "scheduledAt",
        Type: "type",
        Amount: money(),
        From: "sourceAccountID",
        To: "destinationAccountID",
        Status: "status",
        Error: "error",
        Movement: "movement",
        "A second person decides": "needsSecondPerson",
        Metadata: "metadata",
      },
    }),
    history: list({
      summary: "Lists the states that an initiation has had",
      parameters: ["initiation"],
      path: `${PATH}/adjustments`,
      scope: "payments:read",
      columns: { Date: "createdAt", Status: "status", Amount: money(), Error: "error" },
      empty: "The initiation has had no state.",
    }),
    create: act({
      summary: "Orders a provider to move money; the order waits for an approval",
      parameters: ["connector", "reference", "amount", "asset", "destination"],
      options: {
        type: { kind: "text", meaning: "PAYOUT or TRANSFER; PAYOUT by default" },
        source: { kind: "text", meaning: "the account from which the money comes" },
        at: { kind: "text", meaning: "when it is sent, such as 2026-01-31T12:00:00Z" },
        description: { kind: "text", meaning: "what it is for" },
        ...METADATA,
      },
      method: "POST",
      path: "/api/payments/v3/payment-initiations",
      scope: "payments:write",
      body: (call) => ({
        connectorID: call.parameter("connector"),
        reference: call.parameter("reference"),
        amount: amountOf(call.parameter("amount")),
        asset: call.parameter("asset"),
        destinationAccountID: call.parameter("destination"),
        type: call.text("type") ?? "PAYOUT",
        sourceAccountID: call.text("source"),
        scheduledAt: call.text("at"),
        description: call.text("description"),
        ...metadataOf(call.pairs("metadata")),
      }),
      says: { Initiation: "paymentInitiationID", Task: "taskID" },
    }),
    approve: decision("approve", "Lets an initiation that waits go to the provider", "is approved"),
    reject: decision("reject", "Rejects an initiation that waits, for good", "is rejected"),
    retry: decision("retry", "Tries an initiation that has failed again", "is tried again"),
    reverse: act({
      summary: "Orders the provider to bring back what an initiation has moved, or a part of it",
      parameters: ["initiation", "amount", "asset"],
      options: {
        reference: { kind: "text", meaning: "a name that no other reversal of the connector has" },
        description: { kind: "text", meaning: "why" },
        ...METADATA,
      },
      method: "POST",
      path: `${PATH}/reverse`,
      scope: "payments:write",
      body: (call) => {
        const reference = call.text("reference");
        if (reference === undefined) {
          throw new UsageError("--reference names the reversal, so that a repetition is none.");
        }
        return {
          reference,
          description: call.text("description") ?? "",
          amount: amountOf(call.parameter("amount")),
          asset: call.parameter("asset"),
          ...metadataOf(call.pairs("metadata")),
        };
      },
      says: TASK,
    }),
  },
};
