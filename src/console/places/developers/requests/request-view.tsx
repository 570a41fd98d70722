import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { StatusCode } from "./columns.tsx";
import { changesQuery, type FailedRequest, failedRequestQuery } from "./queries.ts";
import { ApiError } from "#console/api/errors.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { locale } from "#console/parts/language/words.ts";
import { Who } from "#console/parts/principals/who.tsx";
import { AuditedLink } from "#console/parts/routing/audited-link.tsx";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { mayReadAudit } from "#console/places/developers/reach.ts";
import { developerWords } from "#console/places/developers/words.ts";

/** A request: what was answered, who sent it, and what it changed. An id of no failed request may be that of one that succeeded. */
export function RequestView({ id }: { readonly id: string }) {
  const words = developerWords().requests;
  const { data, error, refetch } = useQuery(failedRequestQuery(id));
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <>
      {data === undefined && error === null && <LoadingRows rows={4} />}
      {error !== null && !isUnknown && <Failure error={error} retry={() => void refetch()} />}
      {isUnknown && <p className="mb-6 max-w-prose text-muted">{words.notFailed}</p>}
      {data !== undefined && <Details request={data} />}
      {mayReadAudit() && (data !== undefined || isUnknown) && <Changes requestId={id} />}
    </>
  );
}

function Details({ request }: { readonly request: FailedRequest }) {
  const words = developerWords().requests;
  const { requestId, date, method, path, operation, status, code, message, durationMs } = request;
  const { body, more, moreOfOthers } = request;
  return (
    <>
      <p className="font-mono text-note">
        <span className="text-muted">{method}</span> <Foreign>{path}</Foreign>
      </p>
      <div className="my-4 rounded-md border border-line p-3">
        <p className="flex flex-wrap items-center gap-x-3">
          <StatusCode status={status} />
          {code !== undefined && <span className="font-mono text-note">{code}</span>}
        </p>
        {message !== undefined && (
          <p className="mt-1">
            <Foreign>{message}</Foreign>
          </p>
        )}
        <p className="mt-1 text-muted">{adviceFor(status)}</p>
      </div>
      <Facts>
        <Fact name={words.when}>
          <Moment at={date} isWhole />
        </Fact>
        <Fact name={words.who}>
          <Who principal={request} isLink />
        </Fact>
        <Fact name={words.operation}>
          <span className="font-mono text-note">{operation}</span>
        </Fact>
        <Fact name={words.duration}>
          <span className="figures">{formatDuration(durationMs, locale)}</span>
        </Fact>
        <Fact name={words.requestId}>
          <span className="inline-flex items-center gap-1 font-mono text-note">
            <Foreign>{requestId}</Foreign>
            <CopyButton value={requestId} what={words.requestId} />
          </span>
        </Fact>
      </Facts>
      {more !== undefined && <p className="mt-4 text-muted">{words.more(formatCount(more))}</p>}
      {moreOfOthers !== undefined && (
        <p className="mt-4 text-muted">{words.moreOfOthers(formatCount(moreOfOthers))}</p>
      )}
      <Section title={words.body}>
        {body === undefined ? (
          <p className="text-muted">{words.noBody}</p>
        ) : (
          <JsonView value={body} />
        )}
      </Section>
    </>
  );
}

function adviceFor(status: number): string {
  const { advice } = developerWords().requests;
  if (status === 401 || status === 403) return advice.authority;
  if (status === 404) return advice.notFound;
  if (status === 409) return advice.conflict;
  if (status === 429) return advice.tooMany;
  return status >= 500 ? advice.server : advice.request;
}

/** What the request has changed: a request may fail after a change, and one that succeeded is found here alone. */
function Changes({ requestId }: { readonly requestId: string }) {
  const words = developerWords().requests;
  const { data, error, refetch } = useQuery(changesQuery(requestId));
  return (
    <Section title={words.changes}>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data?.length === 0 && <p className="text-muted">{words.noChanges}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {data.map(({ id, action, object, date }) => (
            <li key={id} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
              <span className="min-w-0">
                <span className="font-mono text-note">{action}</span>{" "}
                <AuditedLink object={object}>
                  <Foreign>{object}</Foreign>
                </AuditedLink>
              </span>
              <Moment at={date} />
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && data.length > 0 && (
        <p className="mt-2">
          <Link to="/access/audit" search={{ requestId }} className="text-accent hover:underline">
            {words.inAudit}
          </Link>
        </p>
      )}
    </Section>
  );
}
