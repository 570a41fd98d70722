import { useParams } from "@tanstack/react-router";
import { ledgerCrumb, ledgersCrumb } from "./ledger-frame.tsx";
import { TransactionView } from "./transaction-view.tsx";
import { transactionRequest } from "./transactions/requests.ts";
import { ledgerWords } from "./words.ts";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";

/** A transaction on a page of its own. */
export function TransactionPage() {
  const { ledger, id } = useParams({ from: "/ledgers/$ledger/transactions/$id" });
  return (
    <>
      <PageTitle
        crumbs={[ledgersCrumb(), ledgerCrumb(ledger)]}
        title={ledgerWords().transactionTitle(id)}
        actions={<AsCode requests={[transactionRequest(ledger, id)]} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-3xl p-6 max-sm:p-4">
          <TransactionView ledger={ledger} id={id} />
        </div>
      </div>
    </>
  );
}
