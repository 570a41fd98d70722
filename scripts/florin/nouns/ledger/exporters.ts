import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { fileOption, readJsonInput } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Call, type Noun, UsageError } from "#scripts/florin/command.ts";

const LIST = "/api/ledger/v2/_/exporters";
const PATH = `${LIST}/{exporter}`;

const FIELDS: ShownFields = {
  Id: "id",
  Driver: "driver",
  "Made at": "createdAt",
  Configuration: "config",
  Error: "error",
};

const CONFIG = { config: fileOption("a JSON file with the configuration of the driver") };

function exporterOf(call: Call) {
  const file = call.text("config");
  if (file === undefined) throw new UsageError("--config names the file of the configuration.");
  return { driver: call.parameter("driver"), config: readJsonInput(file) };
}

export const noun: Noun = {
  summary: "Destinations to which the logs of ledgers are sent",
  verbs: {
    list: list({
      summary: "Lists the exporters",
      path: LIST,
      scope: "ledger:read",
      columns: { Id: "id", Driver: "driver", "Made at": "createdAt", Error: "error" },
      empty: "There are no exporters.",
    }),
    show: show({
      summary: "Shows an exporter, with its secrets masked",
      parameters: ["exporter"],
      path: PATH,
      scope: "ledger:read",
      fields: FIELDS,
    }),
    create: act({
      summary: "Creates an exporter",
      parameters: ["driver"],
      options: CONFIG,
      method: "POST",
      path: LIST,
      scope: "ledger:write",
      body: exporterOf,
      says: FIELDS,
    }),
    update: act({
      summary: "Changes the configuration of an exporter",
      parameters: ["exporter", "driver"],
      options: CONFIG,
      method: "PUT",
      path: PATH,
      scope: "ledger:write",
      body: exporterOf,
      says: (call) => `The exporter ${call.parameter("exporter")} is changed.`,
    }),
    delete: act({
      summary: "Deletes an exporter with its pipelines",
      parameters: ["exporter"],
      method: "DELETE",
      path: PATH,
      scope: "ledger:write",
      loses: (call) => ({
        name: call.parameter("exporter"),
        loss: "The exporter is deleted with its pipelines and how far they were.",
      }),
      says: (call) => `The exporter ${call.parameter("exporter")} is deleted.`,
    }),
  },
};
