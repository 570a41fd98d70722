import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Activity } from "./activity.tsx";
import { Attention } from "./attention.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { LATEST_MAX, LEDGERS_MAX, ledgersQuery } from "./queries.ts";
import { homeWords } from "./words.ts";
import { toWire, type WireRequest } from "#console/api/client.ts";
import { may } from "#console/api/florin.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";

const Money = lazy(async () => ({ default: (await import("./money.tsx")).Money }));

/** What needs the person first, then money, then what is happening. */
export function HomePage() {
  const { data, error, refetch } = useQuery({ ...ledgersQuery(), enabled: may("ledger:read") });
  const ledgers = data ?? NONE;
  const isKnown = data !== undefined;
  return (
    <>
      <PageTitle
        title={homeWords().title}
        actions={ledgers.length > 0 && <AsCode requests={requestsFor(ledgers)} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-6xl p-6 max-sm:p-4">
          {isKnown && <FirstSteps ledgers={ledgers} />}
          <Attention ledgers={ledgers} />
          {error !== null && data === undefined && (
            <Failure error={error} retry={() => void refetch()} />
          )}
          {ledgers.length > 0 && (
            <>
              <div className="mt-8 min-h-64">
                <Suspense>
                  <Money ledgers={ledgers} />
                </Suspense>
              </div>
              <Activity ledgers={ledgers} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

/** What the page reads of the ledgers. */
const requestsFor = (ledgers: readonly string[]): readonly WireRequest[] => [
  toWire("get", "/api/ledger/v2", { query: { pageSize: LEDGERS_MAX, sort: "id:desc" } }),
  ...ledgers.map((ledger) =>
    toWire("get", "/api/ledger/v2/{ledger}/transactions", {
      path: { ledger },
      query: { pageSize: LATEST_MAX },
    }),
  ),
];

const NONE: readonly string[] = [];
