import { useParams } from "@tanstack/react-router";
import { ledgerCrumb, ledgersCrumb } from "./ledger-frame.tsx";
import { TransactionView } from "./transaction-view.tsx";
import { ledgerWords } from "./words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";

/** A transaction on a page of its own. */
export function TransactionPage() {
  const { ledger, id } = useParams({ from: "/ledgers/$ledger/transactions/$id" });
  return (
    <>
      <PageTitle
        crumbs={[ledgersCrumb(), ledgerCrumb(ledger)]}
        title={ledgerWords().transactionTitle(id)}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-3xl p-6 max-sm:p-4">
          <TransactionView ledger={ledger} id={id} />
        </div>
      </div>
    </>
  );
}
