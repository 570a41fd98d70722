import { useParams } from "@tanstack/react-router";
import { MomentBar, MomentButton } from "#console/places/ledgers/moment/moment-bar.tsx";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { TransactionPage } from "#console/places/ledgers/transaction-page.tsx";

/** The page of a transaction at the moment of the URL, whose query is asked anew for each moment. */
export function TransactionAtMoment() {
  const { ledger } = useParams({ from: "/ledgers/$ledger/transactions/$id" });
  const { at } = useMoments();
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {at === undefined && (
        <div className="px-4 pt-2 sm:absolute sm:top-3 sm:right-2 sm:p-0">
          <MomentButton />
        </div>
      )}
      <MomentBar ledger={ledger} />
      <TransactionPage key={at} />
    </div>
  );
}
