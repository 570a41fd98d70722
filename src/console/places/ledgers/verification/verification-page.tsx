import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status, type Tone } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { PresentOnly } from "#console/places/ledgers/moment/present-only.tsx";
import { verificationRequest } from "#console/places/ledgers/requests.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import type { components } from "#openapi";

type Report = components["schemas"]["LedgerVerification"];

/** What a verification has found so far or at its end, and when; without a report if the ledger was never verified. */
interface Verified {
  readonly report?: Report;
  readonly at?: string;
}

/** Wait before a verification that goes on is asked again, in milliseconds. */
const NEXT_MS = 500;

const keyOf = (ledger: string) => ["verification", ledger];

/** Whether a ledger is what its log says: rebuilds it and compares, and tells the result in words. */
export function VerificationPage() {
  const words = ledgerWords().verification;
  const { ledger } = useParams({ from: "/ledgers/$ledger/verification" });
  const last = useQuery<Verified>({
    queryKey: keyOf(ledger),
    queryFn: ({ signal }) => readLast(ledger, signal),
    gcTime: Infinity,
    // Read once at each visit, so that it does not replace what a verification has found so far.
    staleTime: Infinity,
    refetchOnMount: "always",
  });
  const verified = last.data?.report === undefined ? undefined : last.data;
  const { run, isRunning, error } = useVerification(ledger);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PresentOnly />
      <div className="max-w-3xl p-6 max-sm:p-4">
        <p className="mb-4 text-muted">{words.hint}</p>
        {may("ledger:write") ? (
          <div className="flex gap-2">
            <Button kind="primary" disabled={isRunning} onClick={run}>
              <ShieldCheck aria-hidden size={14} />
              {isRunning ? words.running : verified === undefined ? words.run : words.runAgain}
            </Button>
            <AsCode requests={[verificationRequest(ledger)]} />
          </div>
        ) : (
          <p>{words.notAllowed}</p>
        )}
        {error !== undefined && <Failure error={error} retry={run} />}
        {last.isError && <Failure error={last.error} retry={() => void last.refetch()} />}
        <div className="mt-6" aria-live="polite">
          {last.isPending && <LoadingRows rows={2} />}
          {last.isSuccess && verified === undefined && <p className="text-muted">{words.never}</p>}
          {verified?.report !== undefined && (
            <Result report={verified.report} at={verified.at ?? ""} />
          )}
        </div>
      </div>
    </div>
  );
}

const TONES: Readonly<Record<Report["status"], Tone>> = {
  running: "waits",
  consistent: "good",
  inconsistent: "bad",
};

async function readLast(ledger: string, signal: AbortSignal): Promise<Verified> {
  const { data } = await florin.get(
    "/api/florin/v1/ledgers/{ledger}/verification",
    { path: { ledger } },
    { signal },
  );
  return data.last === undefined ? {} : { report: data.last, at: data.last.at ?? "" };
}

function Result({ report, at }: { readonly report: Report; readonly at: string }) {
  const words = ledgerWords().verification;
  const { status, lastLogId, rows, totals, differences } = report;
  const compared = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <p className="text-section font-medium">
        <Status tone={TONES[status]}>{words.results[status]}</Status>
      </p>
      <p className="mt-1 text-muted">
        {words.replayed(formatCount(lastLogId), formatCount(compared))} · <Moment at={at} isWhole />
      </p>
      {totals.length > 0 && (
        <Section title={words.totals}>
          <p className="mb-2 text-muted">{words.totalsHint}</p>
          <table className="w-full">
            <thead>
              <tr className="border-b border-line text-note text-muted">
                <th className="pb-1 text-left font-normal">{words.asset}</th>
                <th className="pb-1 pl-3 text-right font-normal">{words.received}</th>
                <th className="pb-1 pl-3 text-right font-normal">{words.sent}</th>
              </tr>
            </thead>
            <tbody>
              {totals.map(({ asset, input, output }) => (
                <tr key={asset} className="border-b border-line">
                  <td className="py-1.5 font-mono text-note">{asset}</td>
                  <td className="py-1.5 pl-3 text-right">
                    <Money amount={input} asset={asset} />
                  </td>
                  <td className="py-1.5 pl-3 text-right">
                    <Money amount={output} asset={asset} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      {differences.length > 0 && (
        <Section title={words.differences}>
          <ul className="divide-y divide-line">
            {differences.map(({ table, key, problem, column, stored, expected }) => (
              <li key={`${table} ${key} ${column ?? ""}`} className="py-2">
                <Foreign>{`${table} ${key} ${column ?? ""}: ${problem}`}</Foreign>
                {stored !== undefined && expected !== undefined && (
                  <p className="text-note text-muted">{words.storedInsteadOf(stored, expected)}</p>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** Verifies until the work is done. What was found so far stays for this visit of the console, also when the page is left meanwhile. */
function useVerification(ledger: string) {
  const queries = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const work = async (): Promise<void> => {
    setRunning(true);
    setError(undefined);
    try {
      let isDone = false;
      while (!isDone && isHere.current) {
        const { data: report } = await florin.ask("/api/florin/v1/ledgers/{ledger}/verify", {
          path: { ledger },
        });
        await queries.cancelQueries({ queryKey: keyOf(ledger) });
        queries.setQueryData<Verified>(keyOf(ledger), {
          report,
          at: report.at ?? new Date().toISOString(),
        });
        isDone = report.status !== "running";
        if (!isDone) await new Promise((resolve) => setTimeout(resolve, NEXT_MS));
      }
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    } finally {
      setRunning(false);
    }
  };
  return { run: () => void work(), isRunning, error };
}
