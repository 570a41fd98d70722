import { Buffer } from "node:buffer";
import { z } from "zod";
import { SearchPosition } from "./position.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Most pages before the current one to which `previous` leads back. */
const PAGES_BACK_MAX = 100;
const CURSOR_LENGTH_MAX = 65_536;

/** A search and the page of it. The names are short, because the cursor carries them. */
const SearchCursor = z.object({
  /** target, ledgers, terms, policy, pageSize, sort */
  t: z.string(),
  l: z.array(z.string()).optional(),
  q: z.array(z.string()),
  p: z.enum(["AND", "OR"]),
  n: z.int().min(1).max(100),
  s: z.string().optional(),
  /** `after`, where the first page begins. */
  a: z.array(z.string()).optional(),
  /** Where the latest pages begin, the current one last, null for the first page of all; and the number of hits before each. */
  at: z
    .array(z.tuple([SearchPosition.nullable(), z.int().min(0)]))
    .min(1)
    .max(PAGES_BACK_MAX + 1),
});

export type SearchCursor = z.output<typeof SearchCursor>;

export const encodeCursor = ({ at, ...content }: SearchCursor): string =>
  Buffer.from(stringifyJson({ ...content, at: at.slice(-PAGES_BACK_MAX - 1) })).toString(
    "base64url",
  );

/** Reads a cursor. Throws `VALIDATION` for a text that `encodeCursor` cannot have made. */
export function decodeCursor(cursor: string): SearchCursor {
  try {
    if (cursor.length > CURSOR_LENGTH_MAX) throw new Error("the cursor is too long");
    return SearchCursor.parse(parseJson(Buffer.from(cursor, "base64url").toString()));
  } catch (error) {
    throw new AppError("VALIDATION", "cursor: it is not a cursor of this search", { cause: error });
  }
}
