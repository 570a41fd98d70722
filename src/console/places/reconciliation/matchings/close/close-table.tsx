import type { ReactNode } from "react";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Status } from "#console/parts/base/status.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { OPEN_CLASSES } from "#console/places/reconciliation/lines/classes.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { CloseReport, OpenClass } from "#console/places/reconciliation/queries/matchings.ts";

type AssetClose = CloseReport["assets"][number];
type SideClose = AssetClose["left"];
type LineSum = SideClose["opening"];

const SIDES = ["left", "right"] as const;
const NOTHING: LineSum = { lines: 0, amount: 0 };

/** The close of an asset: a row for each part of the sum, both sides beside each other, and below them why they differ. */
export function CloseTable({
  of,
  names,
}: {
  readonly of: AssetClose;
  readonly names: { readonly left: string; readonly right: string };
}) {
  const { close: words, class: classes } = matchingWords();
  const { asset, left, right } = of;
  const open = OPEN_CLASSES.filter((name) =>
    SIDES.some((side) => openOf(of[side], name).lines > 0),
  );
  return (
    <section className="mb-10 break-inside-avoid">
      <table className="w-full">
        <caption className="mb-2 text-left font-mono text-note text-muted">{asset}</caption>
        <thead>
          <tr className="border-b border-line text-note text-muted">
            <th className="pb-1 text-left font-normal">{words.part}</th>
            {SIDES.map((side) => (
              <th key={side} className="pb-1 pl-4 text-right font-normal">
                <Foreign>{names[side]}</Foreign>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row name={words.opening} sums={[left.opening, right.opening]} asset={asset} />
          <Row name={words.matched} sums={[left.matched, right.matched]} asset={asset} />
          {open.map((name) => (
            <Row
              key={name}
              name={words.openOf(classes[name])}
              sums={[openOf(left, name), openOf(right, name)]}
              asset={asset}
            />
          ))}
          <Row name={words.closing} sums={[left.closing, right.closing]} asset={asset} isSum />
        </tbody>
      </table>
      <Difference of={of} />
    </section>
  );
}

const openOf = ({ open }: SideClose, name: OpenClass): LineSum =>
  open.find((each) => each.class === name) ?? NOTHING;

function Row({
  name,
  sums,
  asset,
  isSum = false,
}: {
  readonly name: string;
  readonly sums: readonly [left: LineSum, right: LineSum];
  readonly asset: string;
  readonly isSum?: boolean;
}) {
  return (
    <tr className={`border-b border-line ${isSum ? "font-semibold" : ""}`}>
      <th scope="row" className={`py-1.5 text-left ${isSum ? "" : "font-normal"}`}>
        {name}
      </th>
      {sums.map(({ lines, amount }, place) => (
        <td key={SIDES[place]} className="py-1.5 pl-4 text-right">
          <Money amount={amount} asset={asset} />
          <span className="block text-note font-normal text-muted">
            {matchingWords().lines(formatCount(lines))}
          </span>
        </td>
      ))}
    </tr>
  );
}

/** By how much the sides differ, and what of it comes from open lines and from what matches allow. */
function Difference({ of }: { readonly of: AssetClose }) {
  const words = matchingWords().close;
  const { asset, difference, outstandingDifference, matchedDifference } = of;
  if ([difference, outstandingDifference].every((amount) => BigInt(amount) === 0n))
    return (
      <p className="mt-3">
        <Status tone="good">{words.noDifference}</Status>
      </p>
    );
  return (
    <dl className="mt-3 max-w-xl space-y-1">
      <Part name={words.difference} isSum>
        <Money amount={difference} asset={asset} />
      </Part>
      <Part name={words.outstanding}>
        <Money amount={outstandingDifference} asset={asset} />
      </Part>
      <Part name={words.allowed}>
        <Money amount={matchedDifference} asset={asset} />
      </Part>
    </dl>
  );
}

const Part = ({
  name,
  isSum = false,
  children,
}: {
  readonly name: string;
  readonly isSum?: boolean;
  readonly children: ReactNode;
}) => (
  <div className={`flex justify-between gap-4 ${isSum ? "font-semibold" : "pl-4 text-muted"}`}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
