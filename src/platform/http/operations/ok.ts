import { z } from "@hono/zod-openapi";
import { empty, json, longList, type ResponseSpec } from "#platform/http/responses.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";

/** The answer of an operation that succeeds: its description in the document, and how it is made from a handler's result. */
export interface Success<Result> {
  readonly status: number;
  readonly response: ResponseSpec;
  /** Makes the body and the headers; absent for an answer without them. */
  readonly toAnswer?: (result: Result) => {
    readonly body?: unknown;
    readonly pages?: LongList;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** A list in pages, which are made while they are sent. */
type LongList<Item = object> = AsyncIterable<readonly Item[]>;

/** Turns a handler's result, or an item of it, into its form on the wire. */
type View<S extends z.ZodType, Item> = (item: Item) => z.input<S>;

const dataWith =
  (status: number) =>
  <S extends z.ZodType, Item = z.input<S>>(
    description: string,
    schema: S,
    view?: View<S, Item>,
  ): Success<Item> => ({
    status,
    response: json(description, dataOf(schema)),
    toAnswer: (item) => ({ body: { data: view === undefined ? item : view(item) } }),
  });

/**
 * The answers of operations that succeed. The handler gives what the view takes; without a view, it gives the data in their form on the wire.
 */
export const ok = {
  /** `{"data": …}`, with status 200. */
  data: dataWith(200),
  /** `{"data": …}`, with status 201. */
  created: dataWith(201),
  /** `{"data": …}`, with status 202. */
  accepted: dataWith(202),

  /** `{"data": […]}`; the schema and the view are those of an item. */
  list: <S extends z.ZodType, Item = z.input<S>>(
    description: string,
    schema: S,
    view?: View<S, Item>,
  ): Success<readonly Item[]> => ({
    status: 200,
    response: json(description, dataOf(z.array(schema))),
    toAnswer: (items) => ({
      body: { data: view === undefined ? items : items.map((item) => view(item)) },
    }),
  }),

  /** `{"data": […]}`, of a list that is made and sent page by page; the schema is that of an item. */
  longList: <S extends z.ZodType<unknown, object>>(
    description: string,
    schema: S,
  ): Success<LongList<z.input<S>>> => ({
    status: 200,
    response: longList(description, dataOf(z.array(schema))),
    toAnswer: (pages) => ({ pages }),
  }),

  /** `{"cursor": …}`, a page of a list; the schema and the view are those of an item. */
  page: <S extends z.ZodType, Item = z.input<S>>(
    description: string,
    schema: S,
    view?: View<S, Item>,
  ): Success<Page<Item>> => ({
    status: 200,
    response: json(description, cursorOf(schema)),
    toAnswer: (page) => ({
      body: view === undefined ? toCursorView(page) : toCursorView(mapPage(page, view)),
    }),
  }),

  /** A body without an envelope, or with an envelope that is a part of the schema. */
  plain: <S extends z.ZodType, Item = z.input<S>>(
    description: string,
    schema: S,
    view?: View<S, Item>,
  ): Success<Item> => ({
    status: 200,
    response: json(description, schema),
    toAnswer: (item) => ({ body: view === undefined ? item : view(item) }),
  }),

  /** No body. The handler's result is ignored. */
  empty: (description: string, status = 204): Success<unknown> => ({
    status,
    response: empty(description),
  }),
};
