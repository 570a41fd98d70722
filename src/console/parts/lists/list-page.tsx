import type { ReactNode } from "react";
import { ListBar } from "./list-bar.tsx";
import type { WireRequest } from "#console/api/client.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import type { FilterField, FilterValues } from "#console/parts/filters/filter-text.ts";
import type { NewRows } from "#console/parts/live/new-rows.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";
import type { PagesQuery } from "#console/parts/table/pages.ts";
import type { Column } from "#console/parts/table/types.ts";

/** The filters of a list, as the URL has them. */
export interface ListFilters {
  readonly fields: readonly FilterField[];
  readonly values: FilterValues;
  readonly onChange: (values: FilterValues) => void;
}

interface ListPageProps<Row, Line> {
  /** The name of the list, for screen readers. */
  readonly label: string;
  readonly query: PagesQuery<Row>;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  /** The id of the row that is open in the panel. */
  readonly openId?: string | undefined;
  readonly news?: NewRows | undefined;
  readonly filters?: ListFilters;
  /** Figures in the place of filters, for a list that has none. */
  readonly figures?: ReactNode;
  /** The requests that read the list. */
  readonly code: readonly WireRequest[];
  readonly csv: CsvFile<Row, Line>;
  /** What stands before the buttons, such as whether the list is live. */
  readonly status?: ReactNode;
  /** What makes a row. It stands in the bar, and below `none` where there is no `begin`. */
  readonly create?: ReactNode;
  /** The sentence in place of a list that has no row without filters either. */
  readonly none: string;
  /** What stands below `none` alone, such as the way to the page where the first row comes from. */
  readonly begin?: ReactNode;
  /** The panel of the open row. */
  readonly panel?: ReactNode;
}

/** The CSV file of a list; a row is one line of it, where `linesOf` makes no others. */
interface CsvFile<Row, Line> {
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly CsvColumn<Line>[];
  readonly linesOf: (row: Row) => readonly Line[];
}

/**
 * A page that is a list: the bar with the filters and what can be done, the list, and the panel of the open row.
 *
 *     filters …                 status  code  csv  create │ panel
 *     list                                                │
 */
export function ListPage<Row extends object, Line = Row>({
  filters,
  figures,
  code,
  csv,
  status,
  create,
  none,
  begin = create,
  panel,
  ...list
}: ListPageProps<Row, Line>) {
  const isFiltered = filters !== undefined && Object.keys(filters.values).length > 0;
  return (
    <ListFrame
      panel={panel}
      filters={filters}
      figures={figures}
      actions={
        <>
          {status}
          <AsCode requests={code} />
          <CsvButton
            file={csv.name}
            query={list.query}
            columns={csv.columns}
            linesOf={csv.linesOf}
          />
          {create}
        </>
      }
    >
      <List
        {...list}
        empty={
          isFiltered ? (
            <Empty title={partWords().filter.nothingFits}>
              <Button onClick={() => filters.onChange({})}>{partWords().filter.clear}</Button>
            </Empty>
          ) : (
            <Empty title={none}>{begin}</Empty>
          )
        }
      />
    </ListFrame>
  );
}

/** The frame of a list page around a list of any kind. */
export const ListFrame = ({
  filters,
  figures,
  actions,
  panel,
  children,
}: {
  readonly filters?: ListFilters | undefined;
  readonly figures?: ReactNode;
  readonly actions: ReactNode;
  readonly panel?: ReactNode;
  readonly children: ReactNode;
}) => (
  <div className="flex min-h-0 flex-1">
    <div className="flex min-w-0 flex-1 flex-col">
      <ListBar actions={actions}>
        {filters === undefined ? figures : <FilterBar {...filters} />}
      </ListBar>
      {children}
    </div>
    {panel}
  </div>
);

/** The lines of a CSV file that has a line for each row. */
export const oneLine = <Row,>(row: Row): readonly Row[] => [row];
