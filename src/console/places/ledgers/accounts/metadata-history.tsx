import { useMemo, useState } from "react";
import { type MetadataChange, metadataChanges } from "./metadata-changes.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { Timeline } from "#console/parts/layout/timeline.tsx";
import { usePageSum } from "#console/parts/table/use-page-sum.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

interface HistoryProps {
  readonly ledger: string;
  readonly address: string;
}

/** How the metadata of an account changed, which is looked for in the log when somebody asks. */
export function MetadataHistory(props: HistoryProps) {
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <History {...props} />;
  return (
    <Button kind="quiet" className="mt-2 -ml-3" onClick={() => setWanted(true)}>
      {ledgerWords().metadataHistory.open}
    </Button>
  );
}

function History({ ledger, address }: HistoryProps) {
  const words = ledgerWords().metadataHistory;
  const source = useMemo(() => metadataChanges(ledger, address), [ledger, address]);
  const { sum, isReading, isComplete, error, readOn, stop } = usePageSum(source);
  const count = formatCount(sum.entries);
  return (
    <div className="mt-4 rounded-md border border-line p-4">
      <Timeline entries={sum.changes.map(toEntry)} />
      <p role="status" className="flex flex-wrap items-center gap-2 text-note text-muted">
        {isComplete ? words.complete(count) : words.soFar(count)}
        {!isComplete && (
          <Button kind="quiet" onClick={isReading ? stop : readOn}>
            {isReading ? ledgerWords().flow.stop : ledgerWords().flow.more}
          </Button>
        )}
      </p>
      {error !== undefined && <Failure error={error} retry={readOn} />}
    </div>
  );
}

const toEntry = ({ id, at, name, value }: MetadataChange) => ({
  id,
  at,
  tone: "neutral" as const,
  title: <Foreign>{name}</Foreign>,
  note: value === undefined ? ledgerWords().metadataHistory.deleted : <Foreign>{value}</Foreign>,
});
