import { Search, Square, SquareCheck } from "lucide-react";
import { useMemo } from "react";
import { Button } from "#console/parts/base/button.tsx";
import { Empty } from "#console/parts/base/states.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { List } from "#console/parts/table/list.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { ClassName } from "#console/places/reconciliation/lines/classes.tsx";
import { Day } from "#console/places/reconciliation/lines/day.tsx";
import { SourceName } from "#console/places/reconciliation/lines/source-link.tsx";
import { LineText } from "#console/places/reconciliation/lines/texts.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { linesQuery, type MatchingLine } from "#console/places/reconciliation/queries/groups.ts";
import type { MatchingSide } from "#console/places/reconciliation/queries/matchings.ts";

interface SideProps {
  readonly matchingID: string;
  readonly side: MatchingSide;
  readonly source: string | undefined;
  readonly chosen: readonly number[];
  /** The reference that is looked for. */
  readonly q: string;
  readonly onToggle: (line: number) => void;
  readonly onFind: (q: string) => void;
}

/** The lines of a side that nobody has matched. A row is chosen by a click or with `Enter`, and so it is left out again. */
export function SideLines({ matchingID, side, source, chosen, q, onToggle, onFind }: SideProps) {
  const words = matchingWords();
  const columns = useMemo(() => columnsOf(new Set(chosen)), [chosen]);
  const filter = { side, state: "unmatched", q: q === "" ? undefined : q } as const;
  return (
    <section
      aria-label={words.side[side]}
      className={`flex min-h-0 min-w-0 flex-col ${side === "left" ? "border-line md:border-r" : "border-line max-md:border-t"}`}
    >
      <div className="flex items-center justify-between gap-3 px-6 py-2 max-sm:px-4">
        <h2 className="min-w-0 truncate font-semibold">
          <span className="font-normal text-muted">{words.side[side]}</span>{" "}
          {source !== undefined && <SourceName id={source} />}
        </h2>
        <FindField side={side} q={q} onFind={onFind} />
      </div>
      <List
        label={words.hand.list[side]}
        query={linesQuery(matchingID, filter)}
        columns={columns}
        idOf={({ id }) => String(id)}
        onOpen={({ id }) => onToggle(id)}
        empty={
          <Empty title={q === "" ? words.hand.none : words.hand.notFound}>
            {q !== "" && <Button onClick={() => onFind("")}>{words.hand.all}</Button>}
          </Empty>
        }
      />
    </section>
  );
}

/** The input of a reference to look for. It is looked for when the person is done with typing. */
const FindField = ({ side, q, onFind }: Pick<SideProps, "side" | "q" | "onFind">) => (
  <form
    className="flex shrink-0 items-center gap-1 rounded-md border border-line px-2"
    onSubmit={(event) => {
      event.preventDefault();
      const value = new FormData(event.currentTarget).get("q");
      onFind(typeof value === "string" ? value.trim() : "");
    }}
  >
    <Search aria-hidden size={13} className="text-faint" />
    <input
      key={q}
      name="q"
      type="search"
      defaultValue={q}
      aria-label={matchingWords().hand.find[side]}
      placeholder={matchingWords().hand.reference}
      className="h-7 w-36 min-w-0 bg-transparent outline-none placeholder:text-faint pointer-coarse:h-9"
    />
  </form>
);

function columnsOf(chosen: ReadonlySet<number>): readonly Column<MatchingLine>[] {
  const { fields, hand } = matchingWords();
  return [
    {
      id: "chosen",
      header: "",
      width: 16,
      cell: ({ id }) =>
        chosen.has(id) ? (
          <SquareCheck aria-label={hand.isChosen} size={15} className="text-accent" />
        ) : (
          <Square aria-label={hand.isNotChosen} size={15} className="text-faint" />
        ),
      phone: "main",
    },
    {
      id: "date",
      header: fields.date,
      width: 90,
      cell: ({ date }) => <Day day={date} />,
      phone: "note",
    },
    {
      id: "text",
      header: fields.text,
      width: 120,
      grow: 1,
      cell: ({ texts }) => <LineText texts={texts} />,
      phone: "main",
    },
    {
      id: "class",
      header: fields.class,
      width: 110,
      rank: 1,
      cell: ({ breakClass }) => (
        <span className="text-muted">
          <ClassName name={breakClass} />
        </span>
      ),
      phone: "note",
    },
    {
      id: "amount",
      header: fields.amount,
      width: 110,
      isNumber: true,
      cell: ({ amount, asset }) => <Money amount={amount} asset={asset} />,
      phone: "end",
    },
  ];
}
