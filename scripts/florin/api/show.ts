import { z } from "zod";
import { rowsOf, type ShownFields } from "./fields.ts";
import { pathOf } from "./paths.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { Verb } from "#scripts/florin/command.ts";

/** One thing of the API: what `show` makes a verb of. */
export interface ShowSpec {
  readonly summary: string;
  readonly parameters?: readonly string[];
  /** The path of the operation, with the parameters as `{names}`. */
  readonly path: string;
  readonly scope: string;
  /** Scopes that the operation needs besides. */
  readonly moreScopes?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly fields: ShownFields;
}

/** The body of an answer with `data`. */
export const Data = z.object({ data: z.unknown() });

/** A verb that shows what an operation of the API answers. */
export const show = ({
  summary,
  parameters,
  path,
  scope,
  moreScopes = [],
  query = {},
  fields,
}: ShowSpec): Verb => ({
  summary,
  ...(parameters === undefined ? {} : { parameters }),
  operation: { method: "GET", path, scope },
  run: async (call) => {
    const target = pathOf(path, call);
    const api = await call.connect([scope, ...moreScopes]);
    const { data } = await api.call({ method: "GET", path: target, query, answer: Data });
    return { data, lines: columns(rowsOf(data, fields)) };
  },
});
