import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Ageing } from "./ageing.tsx";
import { ClearingForm } from "./clearing-form.tsx";
import { OpenItems } from "./open-items.tsx";
import { toWire } from "#console/api/client.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { DownloadButton } from "#console/places/reconciliation/lines/download.tsx";
import {
  type ClearingAsked,
  clearingQuery,
  type ClearingReport,
} from "#console/places/reconciliation/queries/clearing.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import { stringifyJson } from "#platform/json.ts";

const PATH = "/api/florin/v1/reconciliation/clearing";

/** What is left on accounts that ought to go to zero, by age. The URL says which accounts, and as of when. */
export function ClearingPage() {
  const { ledger = "", account = "", at, by } = useSearch({ from: "/reconciliation/clearing" });
  const asked = { ledger, account, at, by };
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="max-w-6xl p-6 max-sm:p-4">
        <ClearingForm key={stringifyJson(asked)} asked={asked} />
        {ledger === "" || account === "" ? (
          <p className="mt-8 text-muted">{sourceWords().clearing.begin}</p>
        ) : (
          <Report asked={asked} />
        )}
      </div>
    </div>
  );
}

function Report({ asked }: { readonly asked: ClearingAsked }) {
  const words = sourceWords().clearing;
  const { data, error, refetch } = useQuery(clearingQuery(asked));
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows />;
  const isZero = data.items.length === 0;
  return (
    <div className="mt-8">
      <div className="mb-4 flex flex-wrap justify-end gap-2">
        <AsCode requests={[toWire("get", PATH, { query: { ...asked } })]} />
        <DownloadButton
          request={toWire("get", `${PATH}.csv`, { query: { ...asked } })}
          file={`clearing-${asked.ledger}.csv`}
        >
          {words.csv}
        </DownloadButton>
      </div>
      <Assets report={data} />
      {isZero ? (
        <p className="mt-6">
          <Status tone="good">{words.zero}</Status>
        </p>
      ) : (
        <>
          <Section title={words.ageing}>
            <Ageing report={data} />
          </Section>
          <Section title={words.open}>
            <OpenItems report={data} />
          </Section>
        </>
      )}
    </div>
  );
}

/** What is left of each asset, and the share that has been cleared. */
function Assets({ report: { assets } }: { readonly report: ClearingReport }) {
  const words = sourceWords().clearing;
  return (
    <ul className="flex flex-wrap gap-x-12 gap-y-4">
      {assets.map(({ asset, balance, completeness, accounts, openAccounts }) => (
        <li key={asset} className="min-w-40">
          <p className="text-note text-muted">{words.balance}</p>
          <p className="text-title font-semibold tracking-tight">
            <Money amount={balance} asset={asset} />
          </p>
          <p className="text-note text-muted">
            {words.completeness} {words.completed(completeness)} ·{" "}
            {words.openAccounts(formatCount(openAccounts), formatCount(accounts))}
          </p>
        </li>
      ))}
    </ul>
  );
}
