import { parseJson, stringifyJson } from "#platform/json.ts";
import { act } from "#scripts/florin/api/act.ts";
import { fileOption, readInput } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { Data, show } from "#scripts/florin/api/show.ts";
import { type Noun, UsageError } from "#scripts/florin/command.ts";

const PATH = "/api/orchestration/v2/workflows/{workflow}";

export const noun: Noun = {
  summary: "Workflows",
  verbs: {
    list: list({
      summary: "Lists all workflows",
      path: "/api/orchestration/v2/workflows",
      scope: "orchestration:read",
      columns: { Id: "id", Name: "config.name", "Made at": "createdAt" },
      empty: "There are no workflows.",
    }),
    show: show({
      summary: "Shows a workflow with its stages",
      parameters: ["workflow"],
      path: PATH,
      scope: "orchestration:read",
      fields: {
        Id: "id",
        Name: "config.name",
        "Made at": "createdAt",
        Stage: ({ config }) => stagesOf(config),
      },
    }),
    create: {
      summary: "Creates a workflow from a file, in YAML or JSON",
      options: { from: fileOption("the file of the workflow") },
      run: async (call) => {
        const file = call.text("from");
        if (file === undefined) throw new UsageError("--from names the file of the workflow.");
        const body = readInput(file);
        const api = await call.connect(["orchestration:write"]);
        // JSON is YAML, too.
        const answer = await api.send({
          method: "POST",
          path: "/api/orchestration/v2/workflows",
          contentType: "text/vnd.yaml",
          body,
        });
        const { data } = Data.parse(parseJson(await answer.text()));
        return { data, lines: [`Workflow  ${idOf(data)}`] };
      },
    },
    delete: act({
      summary: "Deletes a workflow, which starts no instance any more",
      parameters: ["workflow"],
      method: "DELETE",
      path: PATH,
      scope: "orchestration:write",
      loses: (call) => ({
        name: call.parameter("workflow"),
        loss: "The workflow is deleted, and nothing brings it back.",
      }),
      says: (call) => `The workflow ${call.parameter("workflow")} is deleted.`,
    }),
  },
};

const stagesOf = (config: unknown): string[] => {
  const { stages = [] } = config as { stages?: readonly unknown[] }; // The API describes it so.
  return stages.map((stage) => stringifyJson(stage));
};

const idOf = (data: unknown): string => (data as { id: string }).id; // The API describes it so.
