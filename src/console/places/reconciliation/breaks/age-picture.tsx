import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";
import { OPEN_CLASSES } from "#console/places/reconciliation/lines/classes.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { type BreakSum, breakSumsQuery } from "#console/places/reconciliation/queries/breaks.ts";
import type { OpenClass } from "#console/places/reconciliation/queries/matchings.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** The first days of the buckets of ages. */
const AGES = [0, 2, 4, 8, 31, 91] as const;
/** How dark the cell with the most lines is, in per cent of the colour. */
const DARKEST_PERCENT = 45;

/** What is open as a picture: a row for each class, a column for each age, the darker the more lines. A class and an age lead to their breaks. */
export function AgePicture({ id, state }: { readonly id: string; readonly state: string }) {
  const { data, error, refetch } = useQuery({
    ...breakSumsQuery(id, state),
    placeholderData: (before) => before,
  });
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined || data.length === 0) return null;
  const most = Math.max(
    ...OPEN_CLASSES.flatMap((name) => AGES.map((age) => cellOf(data, name, age).lines)),
  );
  const classes = OPEN_CLASSES.filter((name) => data.some((sum) => sum.class === name));
  return (
    <div className="shrink-0 overflow-x-auto border-b border-line px-6 py-4 max-sm:px-4">
      <table className="text-note">
        <caption className="sr-only">{matchingWords().breaks.picture}</caption>
        <thead>
          <tr>
            <th scope="col" className="sr-only">
              {matchingWords().fields.class}
            </th>
            {AGES.map((age) => (
              <th key={age} scope="col" className="px-1 pb-1 font-normal text-muted">
                <AgeLink id={id} age={age} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {classes.map((name) => (
            <tr key={name}>
              <th scope="row" className="pr-4 text-left font-normal whitespace-nowrap">
                <ClassLink id={id} name={name} />
              </th>
              {AGES.map((age) => (
                <Cell key={age} cell={cellOf(data, name, age)} most={most} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellSum {
  readonly lines: number;
  readonly amounts: readonly string[];
}

function cellOf(sums: readonly BreakSum[], name: OpenClass, age: number): CellSum {
  const found = sums.filter((sum) => sum.class === name && sum.fromDays === age);
  const byAsset = Map.groupBy(found, ({ asset }) => asset);
  return {
    lines: found.reduce((all, { lines }) => all + lines, 0),
    amounts: [...byAsset].map(([asset, of]) =>
      formatAmount(
        of.reduce((all, { amount }) => all + BigInt(amount), 0n),
        asset,
        locale,
      ),
    ),
  };
}

/** A cell with its number of lines; its amounts are shown on hover. */
function Cell({
  cell: { lines, amounts },
  most,
}: {
  readonly cell: CellSum;
  readonly most: number;
}) {
  const percent = lines === 0 ? 0 : 8 + Math.round((lines / most) * (DARKEST_PERCENT - 8));
  return (
    <td className="p-0.5">
      <div
        title={amounts.join(" · ")}
        className="figures flex h-7 w-20 items-center justify-center rounded"
        style={{
          background: `color-mix(in srgb, var(--color-warn) ${percent}%, var(--color-sunken))`,
        }}
      >
        {lines === 0 ? "" : formatCount(lines)}
      </div>
    </td>
  );
}

const AgeLink = ({ id, age }: { readonly id: string; readonly age: number }) => {
  const next = AGES[AGES.findIndex((each) => each === age) + 1];
  const text = sourceWords().clearing.days(String(age), next === undefined ? "" : String(next - 1));
  return (
    <Link
      to="/reconciliation/matchings/$id/breaks"
      params={{ id }}
      search={{ minDays: String(age) }}
      title={matchingWords().breaks.atLeast(String(age))}
      className="rounded-sm whitespace-nowrap hover:underline"
    >
      {text}
    </Link>
  );
};

const ClassLink = ({ id, name }: { readonly id: string; readonly name: OpenClass }) => {
  const words = matchingWords();
  if (name === "unclassified") return words.class[name];
  return (
    <Link
      to="/reconciliation/matchings/$id/breaks"
      params={{ id }}
      search={{ class: name }}
      title={words.classMeaning[name]}
      className="rounded-sm hover:underline"
    >
      {words.class[name]}
    </Link>
  );
};
