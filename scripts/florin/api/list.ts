import { z } from "zod";
import { cellsOf, type ShownFields } from "./fields.ts";
import { filterOption, filterQuery, type ListFilters } from "./filters.ts";
import { pathOf } from "./paths.ts";
import {
  type Call,
  type Option,
  type RowStream,
  UsageError,
  type Verb,
} from "#scripts/florin/command.ts";
import type { Api, ApiCall } from "#scripts/lib/api.ts";

/** A list of the API: what `list` makes a verb of. */
export interface ListSpec {
  readonly summary: string;
  readonly parameters?: readonly string[];
  /** The path of the operation, with the parameters as `{names}`. */
  readonly path: string;
  readonly scope: string;
  /** Scopes that the operation needs besides. */
  readonly moreScopes?: readonly string[];
  /** Parameters that every request of the list has. */
  readonly query?: Readonly<Record<string, string>>;
  readonly filters?: ListFilters;
  /** Whether the API gives the list in pages; one that it gives as a whole takes no `--limit`. */
  readonly isPaged?: boolean;
  readonly columns: ShownFields;
  /** The sentence for a list without items. */
  readonly empty: string;
}

const LIMIT_STANDARD = 50;
/** The largest page that is asked for. */
const PAGE_SIZE_MAX = 100;

const PAGING: Readonly<Record<string, Option>> = {
  limit: { kind: "text", meaning: `shows at most so many; ${LIMIT_STANDARD} by default` },
  all: { kind: "flag", meaning: "shows all, however many there are" },
};

/** A verb that lists what an operation of the API lists, page by page, and holds no more than a page. */
export function list(spec: ListSpec): Verb {
  const { summary, parameters, filters, isPaged = true } = spec;
  return {
    summary,
    ...(parameters === undefined ? {} : { parameters }),
    options: {
      ...(filters === undefined ? {} : { filter: filterOption(filters) }),
      ...(isPaged ? PAGING : {}),
    },
    operation: { method: "GET", path: spec.path, scope: spec.scope },
    run: async (call) => {
      const limit = isPaged ? limitOf(call) : Infinity;
      const filter = filters === undefined ? {} : filterQuery(filters, call.pairs("filter"));
      const path = pathOf(spec.path, call);
      const api = await call.connect([spec.scope, ...(spec.moreScopes ?? [])]);
      const query = { ...spec.query, ...filter };
      // One more item than wanted tells whether there are more.
      const pageSize = isPaged ? Math.min(limit + 1, PAGE_SIZE_MAX) : undefined;
      const items = new LimitedItems(readItems(api, { path, query, pageSize }), limit);
      return { ...streamOf(items, spec), remark: () => items.remark };
    },
  };
}

function limitOf(call: Call): number {
  const text = call.text("limit");
  if (call.flag("all")) {
    if (text === undefined) return Infinity;
    throw new UsageError("--all shows all and --limit at most so many: give one of them.");
  }
  if (text === undefined) return LIMIT_STANDARD;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--limit is ${JSON.stringify(text)}. It takes a number of 1 or more.`);
}

/** A list as a verb's result. */
export function streamOf(
  items: AsyncIterable<unknown>,
  { columns, empty }: Pick<ListSpec, "columns" | "empty">,
): RowStream {
  async function* rows() {
    for await (const item of items) yield { item, cells: cellsOf(item, columns) };
  }
  return { kind: "rows", titles: Object.keys(columns), rows: rows(), empty };
}

const Page = z.object({
  data: z.array(z.unknown()).nullable(),
  hasMore: z.boolean().default(false),
  next: z.string().optional(),
});
const ListAnswer = z.union([z.object({ cursor: Page }).transform(({ cursor }) => cursor), Page]);

interface Reading {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The size of a page; undefined for a list that the API gives as a whole. */
  readonly pageSize: number | undefined;
}

/** The items of a list of the API, which is read page by page as items are taken. */
export async function* readItems(api: Api, { path, query, pageSize }: Reading): AsyncGenerator {
  let page: ApiCall["query"] = { ...query, pageSize: pageSize?.toString() };
  for (;;) {
    const answer: z.output<typeof ListAnswer> = await api.call({
      method: "GET",
      path,
      query: page,
      answer: ListAnswer,
    });
    yield* answer.data ?? [];
    if (!answer.hasMore || !answer.next) return;
    page = { cursor: answer.next };
  }
}

/** At most `limit` items of a list. */
class LimitedItems implements AsyncIterable<unknown> {
  readonly #items: AsyncIterable<unknown>;
  readonly #limit: number;
  #hasMore = false;

  constructor(items: AsyncIterable<unknown>, limit: number) {
    this.#items = items;
    this.#limit = limit;
  }

  /** A sentence about the items that were left out, once all others are taken. */
  get remark(): string | undefined {
    if (!this.#hasMore) return undefined;
    return `There are more than ${this.#limit}: --limit shows more of them, and --all shows all.`;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    let count = 0;
    for await (const item of this.#items) {
      this.#hasMore = count === this.#limit;
      if (this.#hasMore) return;
      yield item;
      count += 1;
    }
  }
}
