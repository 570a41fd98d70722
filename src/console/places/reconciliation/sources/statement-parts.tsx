import { ArrowRight } from "lucide-react";
import { Status, type Tone } from "#console/parts/base/status.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Period } from "#console/places/reconciliation/lines/day.tsx";
import type { Statement, StatementHead } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

const TONES: Readonly<Record<Statement["state"], Tone>> = {
  ready: "good",
  reading: "waits",
  refused: "bad",
};

export const StatementState = ({ state }: Pick<Statement, "state">) => (
  <Status tone={TONES[state]}>{sourceWords().statements.state[state]}</Status>
);

/** The first and the last day of all statements of a file. */
export function HeadPeriod({ heads }: { readonly heads: readonly StatementHead[] }) {
  const from = heads.flatMap((head) => head.from ?? []).toSorted()[0];
  const to = heads
    .flatMap((head) => head.to ?? [])
    .toSorted()
    .at(-1);
  return from === undefined || to === undefined ? null : <Period from={from} to={to} />;
}

/** The opening and the closing balance of a statement, where it has both. */
export function Balances({ head: { opening, closing, asset } }: { readonly head: StatementHead }) {
  if (opening === undefined || closing === undefined || asset === undefined) return null;
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      <Money amount={opening} asset={asset} />
      <ArrowRight aria-label={sourceWords().statements.to} size={12} className="text-faint" />
      <Money amount={closing} asset={asset} />
    </span>
  );
}

/** Whether the balances of a file agree with its lines, and whether a statement is missing before it. */
export function AddsUp({
  statement: { state, heads },
}: {
  readonly statement: Pick<Statement, "state" | "heads">;
}) {
  const words = sourceWords().statements;
  if (state !== "ready") return null;
  if (heads.some(({ gap }) => gap !== undefined)) return <Status tone="warn">{words.gap}</Status>;
  if (heads.length > 0 && heads.every(({ balanced }) => balanced))
    return <Status tone="good">{words.addsUp}</Status>;
  return <Status tone="neutral">{words.noBalances}</Status>;
}
