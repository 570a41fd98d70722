import { z } from "zod";

/** A row of the index that a shard has. */
const RowPosition = z.object({
  shard: z.int().min(0),
  generation: z.int().min(0),
  row: z.int().min(0),
});
/** Where a page begins: behind a row of the index, behind an object of a list, or at a number of sorted hits. */
export const SearchPosition = z.union([
  RowPosition,
  z.object({ id: z.string() }),
  z.object({ offset: z.int().min(0) }),
]);

export type RowPosition = z.output<typeof RowPosition>;
export type SearchPosition = z.output<typeof SearchPosition>;
