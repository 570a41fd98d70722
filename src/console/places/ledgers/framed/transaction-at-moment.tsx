import { useParams } from "@tanstack/react-router";
import { MomentBar } from "#console/places/ledgers/moment/moment-bar.tsx";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { TransactionPage } from "#console/places/ledgers/transaction-page.tsx";

/** The page of a transaction at the moment of the URL, whose query is asked anew for each moment. */
export function TransactionAtMoment() {
  const { ledger } = useParams({ from: "/ledgers/$ledger/transactions/$id" });
  const { at } = useMoments();
  return (
    <>
      <MomentBar ledger={ledger} />
      <TransactionPage key={at} />
    </>
  );
}
