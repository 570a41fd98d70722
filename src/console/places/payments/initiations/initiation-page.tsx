import { useParams } from "@tanstack/react-router";
import { InitiationView } from "./initiation-view.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { readRequest } from "#console/places/payments/common/requests.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";

/** An initiation on a page of its own. */
export function InitiationPage() {
  const { id } = useParams({ from: "/payments/initiations/$id" });
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("initiations")]}
        title={referenceIn(id)}
        isCode
        actions={<AsCode requests={requestsOf(id)} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-3xl p-6 max-sm:p-4">
          <InitiationView id={id} />
        </div>
      </div>
    </>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (id: string) => [
  readRequest("/api/payments/v3/payment-initiations/{paymentInitiationID}", {
    paymentInitiationID: id,
  }),
  readRequest("/api/payments/v3/payment-initiations/{paymentInitiationID}/adjustments", {
    paymentInitiationID: id,
  }),
  readRequest("/api/payments/v3/payment-initiations/{paymentInitiationID}/payments", {
    paymentInitiationID: id,
  }),
];
