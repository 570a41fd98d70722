import type { Column } from "./types.ts";

/** Space between columns, and at both sides of a row, in pixels. */
export const GAP_PX = 16;
export const SIDE_PX = 24;

/** The columns that fit into a width, in pixels. Columns with the highest ranks are left out. */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  width: number,
): readonly Column<Row>[] {
  let shown = columns;
  while (widthOf(shown) > width) {
    const rank = Math.max(...shown.map(({ rank = 0 }) => rank));
    if (rank === 0) return shown;
    shown = shown.filter((column) => column.rank !== rank);
  }
  return shown;
}

/** Whether columns fit into a width, in pixels. Where those without a rank do not, rows have two lines, as on a phone. */
export const doFit = <Row>(columns: readonly Column<Row>[], width: number): boolean =>
  widthOf(columns) <= width;

const widthOf = <Row>(columns: readonly Column<Row>[]): number =>
  columns.reduce((sum, { width }) => sum + width + GAP_PX, 2 * SIDE_PX - GAP_PX);

/** The tracks of a CSS grid with these columns. Every row has the same tracks, because none depends on its content. */
export const tracksOf = <Row>(columns: readonly Column<Row>[]): string =>
  columns
    .map(({ width, grow }) => (grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`))
    .join(" ");
