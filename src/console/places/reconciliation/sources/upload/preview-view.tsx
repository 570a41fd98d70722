import { useMemo } from "react";
import { formatCount } from "#console/parts/base/count.ts";
import { Money } from "#console/parts/money/money.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Day } from "#console/places/reconciliation/lines/day.tsx";
import { LineText } from "#console/places/reconciliation/lines/texts.tsx";
import type { StatementPreview } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import {
  AddsUp,
  Balances,
  HeadPeriod,
} from "#console/places/reconciliation/sources/statement-parts.tsx";

type PreviewLine = StatementPreview["lines"][number];

/** Lines of a preview that are shown. */
const LINES_MAX = 12;

/** What a file gives when it is read as it stands: its statements, and its first lines. */
export function PreviewView({
  preview: { format, heads, lines, linesRead, refusal },
  isPartial,
}: {
  readonly preview: StatementPreview;
  readonly isPartial: boolean;
}) {
  const words = sourceWords();
  const columns = useMemo(() => columnsOf(), []);
  if (lines.length === 0 && refusal !== undefined) return null;
  const [head] = heads;
  return (
    <div className="mt-3">
      <p className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
        {format !== undefined && <span>{words.format[format]}</span>}
        <HeadPeriod heads={heads} />
        <span>{words.upload.lines(formatCount(linesRead), isPartial)}</span>
        {heads.length === 1 && head !== undefined && <Balances head={head} />}
        {refusal === undefined && !isPartial && heads.length > 0 && (
          <AddsUp statement={{ state: "ready", heads }} />
        )}
      </p>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable
          label={words.upload.firstLines}
          columns={columns}
          rows={lines.slice(0, LINES_MAX)}
          idOf={({ fileLine, amount }) => `${fileLine} ${amount}`}
        />
      </div>
    </div>
  );
}

function columnsOf(): readonly Column<PreviewLine>[] {
  const { fields } = sourceWords();
  return [
    {
      id: "date",
      header: fields.date,
      width: 96,
      cell: ({ date }) => <Day day={date} />,
      phone: "note",
    },
    {
      id: "text",
      header: fields.text,
      width: 160,
      grow: 1,
      cell: ({ texts }) => <LineText texts={texts} />,
      phone: "main",
    },
    {
      id: "amount",
      header: fields.amount,
      width: 120,
      isNumber: true,
      cell: ({ amount, asset }) => <Money amount={amount} asset={asset} />,
      phone: "end",
    },
  ];
}
