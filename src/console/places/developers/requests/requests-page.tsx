import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { requestColumns, requestCsv } from "./columns.tsx";
import { requestFields } from "./filters.ts";
import { apiFiltersOf, failedRequestsQuery } from "./queries.ts";
import { RequestView } from "./request-view.tsx";
import { toWire } from "#console/api/client.ts";
import { type FilterValues, valuesIn } from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import { developerWords } from "#console/places/developers/words.ts";

/** The requests that failed, newest first. A request opens beside the list. */
export function RequestsPage() {
  const words = developerWords().requests;
  const search = useSearch({ from: "/developers/requests" });
  const navigate = useNavigate();
  const fields = useMemo(() => requestFields(), []);
  const columns = useMemo(() => requestColumns(), []);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/developers/requests",
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate],
  );
  return (
    <ListPage
      label={words.title}
      query={failedRequestsQuery(values)}
      columns={columns}
      idOf={({ requestId }) => requestId}
      openId={open}
      onOpen={({ requestId }) => show(values, requestId)}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[toWire("get", "/api/florin/v1/requests/failed", { query: apiFiltersOf(values) })]}
      csv={{ name: "failed-requests", columns: requestCsv, linesOf: oneLine }}
      status={<FindRequest />}
      none={words.none}
      panel={
        open !== undefined && (
          <Panel
            title={words.one}
            onClose={() => show(values, undefined)}
            onExpand={() => void navigate({ to: "/developers/requests/$id", params: { id: open } })}
          >
            <RequestView id={open} />
          </Panel>
        )
      }
    />
  );
}

/** The way to a request by its id, which every answer and every error of the console shows. */
function FindRequest() {
  const words = developerWords().requests;
  const navigate = useNavigate();
  const [id, setId] = useState("");
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = id.trim();
        if (wanted !== "")
          void navigate({ to: "/developers/requests/$id", params: { id: wanted } });
      }}
    >
      <label className="inline-flex h-7 items-center gap-1.5 rounded-md border border-line px-2 text-muted focus-within:border-line-strong pointer-coarse:h-11">
        <Search aria-hidden size={14} />
        <input
          aria-label={words.find}
          placeholder={words.find}
          value={id}
          onChange={({ target }) => setId(target.value)}
          className="w-40 max-sm:w-24 bg-transparent text-text outline-none placeholder:text-muted"
        />
      </label>
    </form>
  );
}
