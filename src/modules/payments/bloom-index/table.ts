import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** The names of so many columns, each of which holds one word of a block. */
export const wordColumns = (wordCount: number): string[] =>
  Array.from({ length: wordCount }, (_, at) => `w${at}`);

/** A table with one row for each block: its number, which is called `segment` in D1, and its words; see `bloom-index.ts`. */
export const bloomTable = (name: string, { wordCount }: { readonly wordCount: number }) =>
  sqliteTable(name, {
    segment: integer("segment").primaryKey(),
    ...Object.fromEntries(
      wordColumns(wordCount).map((column) => [column, integer(column).notNull()]),
    ),
  });

export type BloomTable = ReturnType<typeof bloomTable>;
