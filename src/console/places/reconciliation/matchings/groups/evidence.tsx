import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { GroupDetail } from "#console/places/reconciliation/queries/groups.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** Why the lines of a group belong together: the pass and its confidence, equal texts, sums and days. */
export function Evidence({ group }: { readonly group: GroupDetail }) {
  const words = matchingWords();
  const { pass, confidence, isAmbiguous, evidence, run } = group;
  return (
    <div className="space-y-3">
      {isAmbiguous && <Status tone="warn">{words.ambiguous}</Status>}
      <Facts>
        <Fact name={words.fields.pass}>
          <Foreign>{pass}</Foreign>
          {run !== undefined && <span className="text-muted"> {words.ofRun(String(run))}</span>}
        </Fact>
        <Fact name={words.fields.confidence}>
          <Meter value={confidence} />
        </Fact>
        {evidence.keys.map(({ left, right, text }) => (
          <Fact key={`${left} ${right}`} name={keyName(left, right)}>
            <mark className="rounded-sm bg-accent-soft px-1 text-text">
              <Foreign>{text}</Foreign>
            </mark>{" "}
            <span className="text-muted">{words.equal}</span>
          </Fact>
        ))}
        <Fact name={words.fields.days}>{words.daysApart(String(evidence.days))}</Fact>
        {evidence.sums.map((sum) => (
          <Fact key={sum.asset} name={words.fields.sums}>
            <Sums sum={sum} />
          </Fact>
        ))}
      </Facts>
    </div>
  );
}

const keyName = (
  left: keyof ReturnType<typeof sourceWords>["line"]["fields"],
  right: keyof ReturnType<typeof sourceWords>["line"]["fields"],
): string => {
  const names = sourceWords().line.fields;
  return left === right ? names[left] : `${names[left]} / ${names[right]}`;
};

/** The sums of both sides; by how much they differ, where they do. */
function Sums({
  sum: { asset, left, right },
}: {
  readonly sum: GroupDetail["evidence"]["sums"][number];
}) {
  const difference = BigInt(left) - BigInt(right);
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      <Money amount={left} asset={asset} />
      <span className="text-muted">{difference === 0n ? "=" : "≠"}</span>
      <Money amount={right} asset={asset} />
      {difference !== 0n && (
        <span className="text-muted">
          {matchingWords().fields.difference} <Money amount={difference} asset={asset} />
        </span>
      )}
    </span>
  );
}

/** A confidence from 0 to 100, as a bar and a number. */
const Meter = ({ value }: { readonly value: number }) => (
  <span className="inline-flex items-center gap-2">
    <span aria-hidden className="h-1.5 w-24 overflow-hidden rounded-full bg-hover">
      <span className="block h-full bg-accent" style={{ width: `${value}%` }} />
    </span>
    <span className="figures">{matchingWords().outOf(String(value))}</span>
  </span>
);
