import { z } from "zod";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

const Stuck = z.object({
  items: z.array(
    z.object({
      module: z.string(),
      work: z.string(),
      what: z.string(),
      severity: z.string(),
      since: z.string().optional(),
      why: z.string(),
      whatToDo: z.string(),
      path: z.string(),
    }),
  ),
  more: z.array(z.object({ module: z.string(), work: z.string() })),
  unread: z.array(z.object({ module: z.string(), section: z.string() })),
});
type Stuck = z.output<typeof Stuck>;

export const noun: Noun = {
  summary: "Work that waits longer than it should",
  verbs: {
    list: {
      summary: "Lists stuck work of all modules, since when, why, and the path that shows it",
      options: {
        module: { kind: "text", meaning: "only the work of this module" },
        each: { kind: "text", meaning: "how many pieces of each kind are shown, at most 100" },
      },
      run: list,
    },
  },
};

async function list(call: Call): Promise<Outcome> {
  const api = await call.connect(["florin:operate"]);
  const query = new URLSearchParams();
  for (const name of ["module", "each"]) {
    const value = call.text(name);
    if (value !== undefined) query.set(name, value);
  }
  const { data } = await api.call({
    method: "GET",
    path: `/api/florin/v1/stuck?${query.toString()}`,
    answer: z.object({ data: Stuck }),
  });
  return {
    data,
    lines: linesOf(data),
    ...(data.unread.length === 0
      ? {}
      : { failure: `${data.unread.length} sections could not be read; the log says why.` }),
  };
}

const linesOf = ({ items, more }: Stuck): string[] => [
  ...(items.length === 0 ? ["Nothing is stuck."] : []),
  ...columns(
    items.map(({ work, what, since = "", why, path }) => [
      work,
      what,
      since.slice(0, 19),
      why,
      path,
    ]),
  ),
  ...more.map(({ module, work }) => `  There is more of ${work} in ${module}.`),
];
