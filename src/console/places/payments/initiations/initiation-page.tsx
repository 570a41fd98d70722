import { useParams } from "@tanstack/react-router";
import { InitiationView } from "./initiation-view.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";

/** An initiation on a page of its own. */
export function InitiationPage() {
  const { id } = useParams({ from: "/payments/initiations/$id" });
  return (
    <>
      <PageTitle crumbs={[listCrumb("initiations")]} title={referenceIn(id)} isCode />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-3xl p-6 max-sm:p-4">
          <InitiationView id={id} />
        </div>
      </div>
    </>
  );
}
