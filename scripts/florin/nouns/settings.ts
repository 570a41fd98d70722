import { z } from "zod";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

const Setting = z.object({
  name: z.string(),
  module: z.string(),
  value: z.string().optional(),
  default: z.string().optional(),
  set: z.boolean(),
  secret: z.boolean(),
  meaning: z.string(),
});
const Settings = z.object({ settings: z.array(Setting), unknown: z.array(z.string()) });

export const noun: Noun = {
  summary: "Settings in force",
  verbs: {
    list: {
      summary: "Lists the settings in force, without secrets",
      options: { set: { kind: "flag", meaning: "only those that the deployment sets" } },
      run: list,
    },
  },
};

async function list(call: Call): Promise<Outcome> {
  const api = await call.connect(["florin:operate"]);
  const { data } = await api.call({
    method: "GET",
    path: "/api/florin/v1/settings",
    answer: z.object({ data: Settings }),
  });
  const shown = data.settings.filter(({ set }) => set || !call.flag("set"));
  return {
    data: { ...data, settings: shown },
    lines: [
      ...columns(
        shown.map(({ name, value = "(none)", set }) => [name, value, set ? "set" : "default"]),
      ),
      ...data.unknown.map((name) => `  ${name} is set, and is no setting.`),
    ],
  };
}
