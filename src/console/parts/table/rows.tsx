import type { ReactNode } from "react";
import { tracksOf } from "./fit-columns.ts";
import type { Column } from "./types.ts";

interface RowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
}

export function HeaderRow<Row>({ columns }: Pick<RowProps<Row>, "columns">) {
  return (
    <div
      role="row"
      className="sticky top-0 z-10 grid h-8 items-center gap-4 border-b border-line bg-canvas px-6 text-note text-muted"
      style={{ gridTemplateColumns: tracksOf(columns) }}
    >
      {columns.map(({ id, header, isNumber = false }) => (
        <div key={id} role="columnheader" className={`truncate ${isNumber ? "text-right" : ""}`}>
          {header}
        </div>
      ))}
    </div>
  );
}

/** The cells of a row below each other's headings. */
export const OneLine = <Row,>({ columns, row }: RowProps<Row>) => (
  <div
    className="grid h-full items-center gap-4"
    style={{ gridTemplateColumns: tracksOf(columns) }}
  >
    {columns.map((column) => (
      <Cell key={column.id} column={column} row={row} />
    ))}
  </div>
);

/** The cells of a row in two lines. */
export function TwoLines<Row>({ columns, row }: RowProps<Row>) {
  const at = (place: Column<Row>["phone"]): ReactNode =>
    columns
      .filter(({ phone }) => phone === place)
      .map((column) => <NamedCell key={column.id} column={column} row={row} />);
  return (
    <div className="flex h-full flex-col justify-center gap-0.5">
      <div className="flex items-center justify-between gap-3">
        <div className="flex min-w-0 gap-2">{at("main")}</div>
        <div className="flex shrink-0">{at("end")}</div>
      </div>
      <div className="flex min-w-0 gap-3 text-note text-muted [&>:is(:empty,:has(>:only-child:empty))]:hidden *:not-last:max-w-1/2 *:not-last:shrink-0">
        {at("note")}
      </div>
    </div>
  );
}

const Cell = <Row,>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) => (
  <div
    role="gridcell"
    className={`min-w-0 truncate ${column.isNumber === true ? "figures text-right" : ""}`}
  >
    {column.cell(row)}
  </div>
);

/** A cell without a heading above it, behind its name where it has one. */
const NamedCell = <Row,>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) =>
  column.isNamed === true ? (
    <div role="gridcell" className="figures flex min-w-0 gap-1 has-[>:last-child:empty]:hidden">
      <span className="shrink-0 text-muted">{column.header}</span>
      <span className="min-w-0 truncate">{column.cell(row)}</span>
    </div>
  ) : (
    <Cell column={column} row={row} />
  );
