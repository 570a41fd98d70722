import { useQuery } from "@tanstack/react-query";
import { ApiError } from "#console/api/errors.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { accountQuery } from "#console/places/ledgers/queries.ts";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import type { Integer } from "#openapi";

interface ComparedProps {
  readonly ledger: string;
  readonly address: string;
}

/** The balances of an account at two moments, if the URL has a second one. */
export function ComparedBalances({ ledger, address }: ComparedProps) {
  const { at, compare } = useMoments();
  return compare === undefined ? null : (
    <Comparison ledger={ledger} address={address} at={at} compare={compare} />
  );
}

function Comparison({
  ledger,
  address,
  at,
  compare,
}: ComparedProps & { readonly at: string | undefined; readonly compare: string }) {
  const words = ledgerWords().moment;
  const { balances: present, error: presentError } = useBalances(ledger, address, at);
  const { balances: past, error: pastError } = useBalances(ledger, address, compare);
  const error = presentError ?? pastError;
  if (error !== null) return <Failure error={error} />;
  if (present === undefined || past === undefined) return <LoadingRows rows={2} />;
  const assets = [...new Set([...Object.keys(past), ...Object.keys(present)])];
  return (
    <Section title={words.comparison}>
      {assets.length === 0 ? (
        <p className="text-muted">{words.nothingAtBoth}</p>
      ) : (
        <div className="overflow-x-auto">
          <table className="w-full">
            <thead>
              <tr className="border-b border-line text-note text-muted">
                <th className="pb-1 text-left font-normal">{words.asset}</th>
                <th className="pb-1 pl-3 text-right font-normal">
                  <Moment at={compare} isWhole />
                </th>
                <th className="pb-1 pl-3 text-right font-normal">
                  {at === undefined ? words.now : <Moment at={at} isWhole />}
                </th>
                <th className="pb-1 pl-3 text-right font-normal">{words.difference}</th>
              </tr>
            </thead>
            <tbody>
              {assets.toSorted().map((asset) => {
                const was = BigInt(past[asset] ?? 0);
                const is = BigInt(present[asset] ?? 0);
                return (
                  <tr key={asset} className="border-b border-line">
                    <td className="py-1.5 font-mono text-note">{asset}</td>
                    {[was, is, is - was].map((amount, place) => (
                      // oxlint-disable-next-line react/no-array-index-key -- A column is its place.
                      <td key={place} className="py-1.5 pl-3 text-right">
                        <Money amount={amount} asset={asset} />
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

/** The balances of an account at a moment: none before its first use. */
function useBalances(
  ledger: string,
  address: string,
  at: string | undefined,
): { balances: Readonly<Record<string, Integer>> | undefined; error: Error | null } {
  const { data, error } = useQuery(accountQuery(ledger, address, at));
  if (isAbsent(error)) return { balances: {}, error: null };
  const volumes = data?.volumes ?? {};
  const balances =
    data === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(volumes).map(([asset, { balance }]) => [asset, balance] as const),
        );
  return { balances, error };
}

/** Whether something was not there at a moment. */
export const isAbsent = (error: Error | null): boolean =>
  error instanceof ApiError && error.status === 404;
