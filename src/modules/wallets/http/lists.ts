import { z } from "@hono/zod-openapi";
import type { WalletPageRequest } from "#modules/wallets/lists.ts";
import { AppError } from "#platform/errors.ts";
import { ListParams, PageSize } from "#platform/http/index.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/** Largest page. A larger page size is lowered to this one. */
const PAGE_SIZE_MAX = 100;
/** Largest `pageSize` that clients can express, a signed integer of 32 bits. */
const INTEGER_MAX = 2 ** 31 - 1;

export const PageParams = z.object({
  cursor: ListParams.shape.cursor,
  pageSize: PageSize.refine(
    (size) => size >= 1 && size <= INTEGER_MAX,
    "expected a positive integer of 32 bits",
  )
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: PAGE_SIZE_MAX, default: 15 }),
});

/** Parameters `metadata[key]=value`, one for each key. Parameters of other names are kept, because keys can be any text. */
export const MetadataParams = z.looseObject({
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .openapi({
      param: { style: "deepObject", explode: true },
      description: "Metadata that the items must have, as `metadata[key]=value`.",
    }),
});

const METADATA_PARAM = /^metadata\[(.*)\]$/s;

/** The metadata that a query asks for. For a key that comes several times, the first value counts. */
export const metadataOf = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]): [string, string][] => {
      const [, key] = METADATA_PARAM.exec(name) ?? [];
      const [first]: unknown[] = [value].flat();
      return key === undefined || typeof first !== "string" ? [] : [[key, first]];
    }),
  );

/**
 * The page that a request asks for. A cursor is one of the ledger with the name of the list in front, because the ledger has the same
 * cursors for all lists of its accounts. Throws `VALIDATION` for a cursor of another list.
 */
export function toListRequest(
  lists: readonly string[],
  { cursor, pageSize }: z.output<typeof PageParams>,
  settings: PlatformSettings,
): WalletPageRequest & { readonly list: string | undefined } {
  const size = pageSize === undefined ? undefined : Math.min(pageSize, PAGE_SIZE_MAX);
  if (cursor === undefined) {
    const standard = Math.min(settings.FLORIN_DEFAULT_PAGE_SIZE, PAGE_SIZE_MAX);
    return { pageSize: size ?? standard, list: undefined };
  }
  const list = lists.find((name) => cursor.startsWith(`${name}${SEPARATOR}`));
  if (list === undefined) {
    throw new AppError("VALIDATION", "invalid 'cursor' query param: it is not one of this list");
  }
  return { pageSize: size, cursor: cursor.slice(list.length + SEPARATOR.length), list };
}

/** Separates the name of a list from the ledger's cursor, which does not have this character. */
const SEPARATOR = ".";

/** A page whose cursors begin with the name of their list. */
export function nameCursors<T>(list: string, { previous, next, ...page }: Page<T>): Page<T> {
  const named = (cursor: string) => `${list}${SEPARATOR}${cursor}`;
  return {
    ...page,
    ...(previous === undefined ? {} : { previous: named(previous) }),
    ...(next === undefined ? {} : { next: named(next) }),
  };
}
