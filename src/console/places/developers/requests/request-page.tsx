import { useParams } from "@tanstack/react-router";
import { RequestView } from "./request-view.tsx";
import { toWire } from "#console/api/client.ts";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { requestsCrumb } from "#console/places/developers/developers-frame.tsx";
import { developerWords } from "#console/places/developers/words.ts";

const requestsFor = (requestID: string) => [
  toWire("get", "/api/florin/v1/requests/failed/{requestID}", { path: { requestID } }),
  toWire("get", "/api/florin/v1/audit", { query: { requestId: requestID } }),
];

/** A request on a page of its own. */
export function RequestPage() {
  const { id } = useParams({ from: "/developers/requests/$id" });
  return (
    <>
      <PageTitle
        crumbs={[requestsCrumb()]}
        title={id}
        isCode
        actions={
          <>
            <CopyButton value={id} what={developerWords().requests.requestId} />
            <AsCode requests={requestsFor(id)} />
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-3xl p-6 max-sm:p-4">
          <RequestView id={id} />
        </div>
      </div>
    </>
  );
}
