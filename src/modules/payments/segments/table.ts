import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** The columns of so many numbers. */
export const wordNames = (words: number): string[] =>
  Array.from({ length: words }, (_, at) => `w${at}`);

/** A table of the bits of the terms of rows whose keys, divided, are the segment; see `core/terms/segment-terms.ts`. */
export const segmentTable = (name: string, { words }: { readonly words: number }) =>
  sqliteTable(name, {
    segment: integer("segment").primaryKey(),
    ...Object.fromEntries(wordNames(words).map((word) => [word, integer(word).notNull()])),
  });

export type SegmentTable = ReturnType<typeof segmentTable>;
