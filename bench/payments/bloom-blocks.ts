import { COUNT, type ListWorld } from "./world.ts";
import { wordColumns } from "#modules/payments/bloom-index/table.ts";
import type { BloomLayout } from "#modules/payments/core/bloom/bloom-layout.ts";

/**
 * Fills the blocks of rows whose keys are their places and one. Rows that are stored together have their terms in each block that
 * one of them is in.
 */
export function fillBloomBlocks(
  world: ListWorld,
  {
    table,
    layout,
    groupSize,
    termsAt,
  }: {
    readonly table: string;
    readonly layout: BloomLayout;
    readonly groupSize: number;
    readonly termsAt: (place: number) => readonly string[];
  },
): void {
  const blocks: Set<string>[] = [];
  for (let first = 0; first < COUNT; first += groupSize) {
    const group = Array.from({ length: groupSize }, (_, place) => termsAt(first + place)).flat();
    for (const key of [first + 1, first + groupSize]) {
      const known = (blocks[Math.floor(key / layout.rowsPerBlock)] ??= new Set());
      for (const term of group) known.add(term);
    }
  }
  const columns = ["segment", ...wordColumns(layout.wordCount)];
  const rows = blocks.map((known, block) => [block, ...layout.buildWords(known).map(Number)]);
  world.insert(table, rows.length, (place) =>
    Object.fromEntries(columns.map((column, index) => [column, rows[place]?.[index] ?? 0])),
  );
}
