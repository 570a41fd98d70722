import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

const LIST = "/api/florin/v1/reconciliation/sources";
const PATH = `${LIST}/{source}`;

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Kind: "kind",
  Ledger: "ledger",
  Account: "account",
  Connector: "connectorID",
  Pool: "poolID",
  Format: "format",
  "Made at": "createdAt",
};

export const noun: Noun = {
  summary: "Sources of lines that are matched: statements, ledgers, providers",
  verbs: {
    list: list({
      summary: "Lists the sources",
      path: LIST,
      scope: "reconciliation:read",
      columns: { Id: "id", Name: "name", Kind: "kind", "Made at": "createdAt" },
      empty: "There are no sources.",
    }),
    show: show({
      summary: "Shows a source",
      parameters: ["source"],
      path: PATH,
      scope: "reconciliation:read",
      fields: FIELDS,
    }),
    statements: list({
      summary: "Lists the statements of a source, the last one first",
      parameters: ["source"],
      path: `${PATH}/statements`,
      scope: "reconciliation:read",
      columns: {
        Id: "id",
        File: "fileName",
        "Uploaded at": "uploadedAt",
        State: "state",
        Lines: "lines",
        Refusal: "refusal.message",
      },
      empty: "The source has no statements.",
    }),
    delete: act({
      summary: "Deletes a source with its statements",
      parameters: ["source"],
      method: "DELETE",
      path: PATH,
      scope: "reconciliation:write",
      loses: (call) => ({
        name: call.parameter("source"),
        loss: "The source is deleted with all its statements and their lines.",
      }),
      says: (call) => `The source ${call.parameter("source")} is deleted.`,
    }),
  },
};
