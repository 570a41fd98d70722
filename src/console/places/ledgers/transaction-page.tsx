import { useParams } from "@tanstack/react-router";
import { ledgerCrumb, ledgersCrumb, listCrumb } from "./ledger-frame.tsx";
import { MomentBar, MomentButton } from "./moment/moment-bar.tsx";
import { useMoments } from "./time/moments.ts";
import { TransactionView } from "./transaction-view.tsx";
import { transactionRequest } from "./transactions/requests.ts";
import { ledgerWords } from "./words.ts";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";

/** A transaction on a page of its own, at the moment of the URL. */
export function TransactionPage() {
  const { ledger, id } = useParams({ from: "/ledgers/$ledger/transactions/$id" });
  const { at } = useMoments();
  return (
    <>
      <PageTitle
        crumbs={[ledgersCrumb(), ledgerCrumb(ledger), listCrumb(ledger, "transactions")]}
        title={ledgerWords().transactionTitle(id)}
        actions={
          <>
            <MomentButton />
            <AsCode requests={[transactionRequest(ledger, id)]} />
          </>
        }
      />
      <MomentBar ledger={ledger} />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-4xl p-6 max-sm:p-4">
          <TransactionView key={at} ledger={ledger} id={id} />
        </div>
      </div>
    </>
  );
}
