import { COUNT, type ListWorld } from "./world.ts";
import type { SegmentTerms } from "#modules/payments/core/terms/segment-terms.ts";
import { wordNames } from "#modules/payments/segments/table.ts";

/**
 * Fills the segments of rows whose keys are `place + 1`. The terms of a group of rows that are stored together are in each segment of the
 * group.
 */
export function fillSegments(
  world: ListWorld,
  {
    table,
    terms,
    groupSize,
    termsAt,
  }: {
    readonly table: string;
    readonly terms: SegmentTerms;
    readonly groupSize: number;
    readonly termsAt: (place: number) => readonly string[];
  },
): void {
  const segments: Set<string>[] = [];
  for (let first = 0; first < COUNT; first += groupSize) {
    const group = Array.from({ length: groupSize }, (_, place) => termsAt(first + place)).flat();
    for (const key of [first + 1, first + groupSize]) {
      const known = (segments[Math.floor(key / terms.size)] ??= new Set());
      for (const term of group) known.add(term);
    }
  }
  const columns = ["segment", ...wordNames(terms.words)];
  const rows = segments.map((known, segment) => [segment, ...terms.wordsOf(known).map(Number)]);
  world.insert(table, rows.length, (place) =>
    Object.fromEntries(columns.map((column, index) => [column, rows[place]?.[index] ?? 0])),
  );
}
