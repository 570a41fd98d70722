import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { type Noun, UsageError, type Verb } from "#scripts/florin/command.ts";

const PATH = "/api/webhooks/configs/{webhook}";

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Endpoint: "endpoint",
  Events: "eventTypes",
  Active: "active",
  Secret: "secret",
};

const switched = (name: "activate" | "deactivate", summary: string): Verb =>
  act({
    summary,
    parameters: ["webhook"],
    method: "PUT",
    path: `${PATH}/${name}`,
    scope: "webhooks:write",
    says: (call) => `The webhook ${call.parameter("webhook")} is ${name}d.`,
  });

export const noun: Noun = {
  summary: "Endpoints that get events",
  verbs: {
    list: list({
      summary: "Lists all endpoints; --json has their secrets, too",
      path: "/api/webhooks/configs",
      scope: "webhooks:read",
      isPaged: false,
      filters: byQuery("id", "endpoint"),
      columns: {
        Id: "id",
        Name: "name",
        Endpoint: "endpoint",
        Active: "active",
        Events: "eventTypes",
      },
      empty: "There are no webhooks.",
    }),
    create: act({
      summary: "Sends events to an endpoint from now on, and shows its secret",
      parameters: ["endpoint"],
      options: {
        events: {
          kind: "list",
          meaning: "types such as ledger.committed_transactions, or ledger.*",
        },
        name: { kind: "text", meaning: "a name for it" },
      },
      method: "POST",
      path: "/api/webhooks/configs",
      scope: "webhooks:write",
      body: (call) => {
        const eventTypes = call.list("events");
        if (eventTypes.length === 0) throw new UsageError("--events says which events it gets.");
        return { endpoint: call.parameter("endpoint"), eventTypes, name: call.text("name") };
      },
      says: FIELDS,
    }),
    activate: switched("activate", "Sends an endpoint events again"),
    deactivate: switched("deactivate", "Sends an endpoint no events until it is activated"),
    "change-secret": act({
      summary: "Gives an endpoint a new secret, and shows it",
      parameters: ["webhook"],
      options: { immediate: { kind: "flag", meaning: "ends the old secret at once" } },
      method: "PUT",
      path: `${PATH}/secret/change`,
      scope: "webhooks:write",
      body: (call) => ({ immediate: call.flag("immediate") }),
      says: FIELDS,
    }),
    delete: act({
      summary: "Deletes an endpoint with its deliveries",
      parameters: ["webhook"],
      method: "DELETE",
      path: PATH,
      scope: "webhooks:write",
      loses: (call) => ({
        name: call.parameter("webhook"),
        loss: "The endpoint gets no more events, and its deliveries are gone.",
      }),
      says: (call) => `The webhook ${call.parameter("webhook")} is deleted.`,
    }),
  },
};
