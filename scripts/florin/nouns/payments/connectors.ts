import { act } from "#scripts/florin/api/act.ts";
import { isObject } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { fileOption, readJsonInput } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Call, type Noun, UsageError } from "#scripts/florin/command.ts";

const PATH = "/api/payments/v3/connectors/{connector}";

function configOf(call: Call): object {
  const file = call.text("config");
  if (file === undefined) throw new UsageError("--config names the file of the configuration.");
  const config = readJsonInput(file);
  if (isObject(config)) return config;
  throw new UsageError(`The configuration in ${file} is no JSON object.`);
}

const CONFIG = {
  config: fileOption('a JSON file such as {"name": "Main bank", "apiKey": "…"}'),
};

export const noun: Noun = {
  summary: "Connectors to payment providers",
  verbs: {
    list: list({
      summary: "Lists all connectors",
      path: "/api/payments/v3/connectors",
      scope: "payments:read",
      filters: byMatch({ name: "text", provider: "text", id: "text" }),
      columns: {
        Id: "id",
        Name: "name",
        Provider: "provider",
        State: (item) => (item["scheduledForDeletion"] === true ? "uninstalling" : item["state"]),
        "Made at": "createdAt",
      },
      empty: "There are no connectors.",
    }),
    show: show({
      summary: "Shows how a connector is, and what it does next",
      parameters: ["connector"],
      path: "/api/florin/v1/payments/connectors/{connector}/health",
      scope: "payments:read",
      fields: {
        Id: "connectorID",
        Name: "name",
        Provider: "provider",
        State: "status",
        Since: "since",
        "Last success": "lastSuccessAt",
        "Last failure": "lastFailureAt",
        Error: "lastError",
        "Next run": "nextRunAt",
        Schedule: (item) =>
          (Array.isArray(item["schedules"]) ? item["schedules"] : [])
            .filter(isObject)
            .map(({ task, health, nextRunAt, lastError }) => [task, health, nextRunAt, lastError]),
      },
    }),
    config: show({
      summary: "Shows the configuration of a connector, without its secrets",
      parameters: ["connector"],
      path: `${PATH}/config`,
      scope: "payments:read",
      fields: { Config: (item) => item },
    }),
    install: act({
      summary: "Installs a connector of a provider, such as stripe",
      parameters: ["provider"],
      options: CONFIG,
      method: "POST",
      path: "/api/payments/v3/connectors/install/{provider}",
      scope: "payments:write",
      body: configOf,
      says: (_call, id) => `The connector ${String(id)} is installed.`,
    }),
    "set-config": act({
      summary: "Replaces the configuration of a connector",
      parameters: ["connector"],
      options: CONFIG,
      method: "PATCH",
      path: `${PATH}/config`,
      scope: "payments:write",
      body: configOf,
      says: (call) => `The connector ${call.parameter("connector")} has the configuration.`,
    }),
    reset: act({
      summary: "Deletes what a connector has fetched, and fetches it anew",
      parameters: ["connector"],
      method: "POST",
      path: `${PATH}/reset`,
      scope: "payments:write",
      loses: (call) => ({
        name: call.parameter("connector"),
        loss: "What the connector has fetched is deleted, and fetched anew.",
      }),
      says: (call) => `The connector ${call.parameter("connector")} is reset.`,
    }),
    uninstall: act({
      summary: "Uninstalls a connector, with everything that it has fetched",
      parameters: ["connector"],
      method: "DELETE",
      path: PATH,
      scope: "payments:write",
      loses: (call) => ({
        name: call.parameter("connector"),
        loss: "The connector is uninstalled, and what it has fetched is deleted.",
      }),
      says: (call) => `The connector ${call.parameter("connector")} is being uninstalled.`,
    }),
  },
};
