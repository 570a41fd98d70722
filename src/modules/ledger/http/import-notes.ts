import { z } from "@hono/zod-openapi";
import type { ImportNote, NotedEntries } from "#ledger-engine";
import { Count } from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";

/** The header in which the answer to an import tells which entries are odd. */
export const IMPORT_NOTES_HEADER = "X-Florin-Import-Notes";
/** Longest value of the header, in characters. Clients and proxies accept 8 kB of headers or more. */
const HEADER_LENGTH_MAX = 2000;

export const ImportNotesHeader = z.string().optional().openapi({
  description:
    "JSON in ASCII, given only where entries of the import are odd: how many of them are, in `count`, and the first of them, in `first`, as the list of import notes shows them. At most 2,000 characters.",
  example:
    '{"count":1,"first":[{"id":2,"notes":["the metadata of the account \'users:42\' is null, which stands for no metadata"]}]}',
});

export const ImportNoteResponse = z
  .object({
    id: Count.openapi({ description: "The id of the log entry" }),
    notes: z.array(z.string()).openapi({ description: "What is odd about it, in sentences" }),
  })
  .openapi("ImportNote");

export const toImportNoteView = ({
  id,
  notes,
}: ImportNote): z.input<typeof ImportNoteResponse> => ({
  id,
  notes: [...notes],
});

/** The headers of the answer to an import: none where no entry is odd. */
export function noteHeaders({ count, first }: NotedEntries): Record<string, string> {
  if (count === 0) return {};
  for (let shown = first.length; shown > 0; shown--) {
    const text = headerText({ count, first: first.slice(0, shown).map(toImportNoteView) });
    if (text.length <= HEADER_LENGTH_MAX) return { [IMPORT_NOTES_HEADER]: text };
  }
  return { [IMPORT_NOTES_HEADER]: headerText({ count, first: [] }) };
}

/** JSON for a header, which holds only ASCII: other characters become escapes. */
const headerText = (value: unknown): string =>
  stringifyJson(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
