import { z } from "zod";
import { textOf } from "#scripts/florin/api/fields.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

const Section = z.object({
  module: z.string(),
  name: z.string(),
  description: z.string(),
  state: z.string(),
  problems: z.array(
    z.object({
      severity: z.string(),
      what: z.string(),
      since: z.string().optional(),
      why: z.string(),
      whatToDo: z.string(),
    }),
  ),
  values: z.array(z.unknown()),
});
const Status = z.object({
  ok: z.boolean(),
  checkedAt: z.string(),
  sections: z.array(Section).default([]),
});

export const noun: Noun = {
  summary: "How the deployment is",
  alone: {
    summary: "Shows what is wrong and what to do; the exit code is 1 where something is critical",
    options: { module: { kind: "text", meaning: "only this module, such as payments" } },
    run: status,
  },
  verbs: {},
};

async function status(call: Call): Promise<Outcome> {
  const api = await call.connect(["florin:operate"]);
  const { data } = await api.call({
    method: "GET",
    path: "/api/florin/v1/status",
    query: { module: call.text("module") },
    answer: z.object({ data: Status }),
  });
  const rows = data.sections.map(({ state, module, name, description }) => [
    state,
    `${module}/${name}`,
    description,
  ]);
  const problems = data.sections.flatMap((section) => section.problems);
  const lines = [
    ...columns(rows),
    ...problems.flatMap(({ severity, what, since, why, whatToDo }) => [
      "",
      `${severity}: ${textOf(what)}${since === undefined ? "" : `, since ${since}`}`,
      `  ${textOf(why)}`,
      `  What to do: ${textOf(whatToDo)}`,
    ]),
  ];
  return data.ok ? { data, lines } : { data, lines, failure: "The deployment is not well." };
}
