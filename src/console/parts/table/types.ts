import type { ReactNode } from "react";

/** A column of a list. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** The least width, in pixels. */
  readonly width: number;
  /** The column's share of the width that is left; by default none. */
  readonly grow?: number;
  /** Columns with a higher rank are left out first where the table is narrow; columns without a rank stay. */
  readonly rank?: number;
  readonly isNumber?: boolean;
  /** On a phone, and where the columns do not fit, a row shows the columns `main` and `end` in its first line, `note` in its second, and no others. */
  readonly phone?: "main" | "end" | "note";
  /** Whether the header stands before the cell where a row has two lines, and so no headings: for what does not say by itself what it is. */
  readonly isNamed?: boolean;
}
