import { z } from "zod";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

const use = {
  bytes: z.int(),
  limitBytes: z.int(),
  growthPerDay: z.int().optional(),
  fullAt: z.string().optional(),
};
const Use = z.object(use);
const Storage = z.object({
  database: z.object({
    ...use,
    tables: z.array(z.object({ name: z.string(), rowsAtMost: z.int() })),
  }),
  objects: z.array(z.object({ ...use, name: z.string(), measuredAt: z.string() })),
});

export const noun: Noun = {
  summary: "Use of storage",
  verbs: {
    show: {
      summary: "Shows the sizes of the database and of objects, and when they will be full",
      run: show,
    },
  },
};

async function show(call: Call): Promise<Outcome> {
  const api = await call.connect(["florin:operate"]);
  const { data } = await api.call({
    method: "GET",
    path: "/api/florin/v1/storage",
    answer: z.object({ data: Storage }),
  });
  const { database, objects } = data;
  return {
    data,
    lines: [
      ...columns([
        rowOf("database", database),
        ...objects.map(({ name, ...object }) => rowOf(name, object)),
      ]),
      "Tables of the database:",
      ...columns(
        database.tables.map(({ name, rowsAtMost }) => [name, `${rowsAtMost} rows at most`]),
      ),
    ],
  };
}

const rowOf = (name: string, { bytes, limitBytes, growthPerDay, fullAt }: z.output<typeof Use>) => [
  name,
  `${(bytes / 1e6).toFixed(1)} MB`,
  `${((bytes / limitBytes) * 100).toFixed(1)} %`,
  growthPerDay === undefined
    ? "growth not known yet"
    : `${(growthPerDay / 1e6).toFixed(1)} MB a day`,
  fullAt === undefined ? "" : `full on ${fullAt.slice(0, 10)}`,
];
