import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { addTransactions, inAsset, NOBODY } from "./counterparties.ts";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { MoneyGraph } from "#console/parts/graphs/money-graph.tsx";
import { transactionFilter } from "#console/places/ledgers/filters.ts";
import { transactionsQuery } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** Where an account's money came from and where it went, summed over its transactions page by page. Another account needs another `key`. */
export function CounterpartyFlow({
  ledger,
  address,
  asset,
}: {
  readonly ledger: string;
  readonly address: string;
  readonly asset: string;
}) {
  const words = ledgerWords().flow;
  const { sums, isReading, isComplete, error, readOn, stop } = useCounterparties(ledger, address);
  const postings = useMemo(() => inAsset(sums, asset), [sums, asset]);
  const count = formatCount(sums.transactions);
  return (
    <Section
      title={words.title}
      actions={
        !isComplete &&
        sums.transactions > 0 && (
          <Button kind="quiet" onClick={isReading ? stop : readOn}>
            {isReading ? words.stop : words.more}
          </Button>
        )
      }
    >
      {sums.transactions === 0 && isReading && <LoadingRows rows={2} />}
      {postings.length > 0 && <MoneyGraph postings={postings} center={address} />}
      <p role="status" className="mt-1 text-note text-muted">
        {sums.transactions > 0 && (isComplete ? words.complete(count) : words.soFar(count))}
      </p>
      {error !== undefined && <Failure error={error} retry={readOn} />}
    </Section>
  );
}

/** Pages that are read at once, and by each click. */
const PAGES_FIRST = 2;
const PAGES_MORE = 40;

interface Progress {
  readonly sums: typeof NOBODY;
  /** The cursor of the next page; undefined before the first one. */
  readonly next: string | undefined;
  readonly isComplete: boolean;
}

const START: Progress = { sums: NOBODY, next: undefined, isComplete: false };

/** The sums of an account, which grow while pages are read. */
function useCounterparties(ledger: string, address: string) {
  const [progress, setProgress] = useState(START);
  const [isReading, setReading] = useState(true);
  const [error, setError] = useState<Error>();
  const position = useRef(START);
  const running = useRef<AbortController>(undefined);
  const read = useCallback(
    async (pages: number) => {
      const controller = new AbortController();
      running.current?.abort();
      running.current = controller;
      const query = transactionsQuery(ledger, transactionFilter({ account: address }));
      try {
        for (let page = 0; page < pages && !position.current.isComplete; page++) {
          const { rows, next } = await query.readPage(position.current.next, controller.signal);
          if (controller.signal.aborted) return;
          const sums = addTransactions(position.current.sums, rows, address);
          position.current = { sums, next, isComplete: next === undefined };
          setProgress(position.current);
        }
      } catch (problem) {
        if (!controller.signal.aborted)
          setError(problem instanceof Error ? problem : new Error(String(problem)));
      } finally {
        if (running.current === controller) setReading(false);
      }
    },
    [ledger, address],
  );
  useEffect(() => {
    void read(PAGES_FIRST);
    return () => running.current?.abort();
  }, [read]);
  const stop = (): void => {
    running.current?.abort();
    setReading(false);
  };
  const readOn = (): void => {
    setError(undefined);
    setReading(true);
    void read(PAGES_MORE);
  };
  return { ...progress, isReading, error, readOn, stop };
}
