/** How many rows decide how wide the columns are. Later rows may be wider. */
const ROWS_MEASURED = 200;
/** The narrowest that a column becomes so that a table fits into the terminal, in characters. */
const WIDTH_MIN = 6;
const GAP = "  ";

/**
 * The lines of a table with a line of titles. `width` is that of the terminal: columns then become narrower, from the widest one, and what does
 * not fit ends with "…". Without it, as in a pipe, nothing is cut. Rows are read as lines are taken, beyond those that are measured.
 */
export async function* tableLines(
  titles: readonly string[],
  rows: AsyncIterable<readonly string[]>,
  width?: number,
): AsyncGenerator<string> {
  const first: (readonly string[])[] = [titles];
  let widths: readonly number[] | undefined;
  for await (const row of rows) {
    if (widths === undefined) {
      first.push(row);
      if (first.length <= ROWS_MEASURED) continue;
      widths = fitted(first, width);
      yield* first.map(lineWith(widths, width));
    } else {
      yield lineWith(widths, width)(row);
    }
  }
  if (widths === undefined) yield* first.map(lineWith(fitted(first, width), width));
}

function fitted(rows: readonly (readonly string[])[], width = Infinity): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { length }] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, length);
    }
  }
  const room = width - GAP.length * (widths.length - 1);
  let excess = widths.reduce((sum, item) => sum + item, 0) - room;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= WIDTH_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

const lineWith = (widths: readonly number[], width: number | undefined) => {
  const cellOf = (cell: string, index: number): string => {
    const most = widths[index] ?? 0;
    const shown = width !== undefined && cell.length > most ? `${cell.slice(0, most - 1)}…` : cell;
    return shown.padEnd(most);
  };
  return (row: readonly string[]): string => row.map(cellOf).join(GAP).trimEnd();
};
