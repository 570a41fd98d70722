import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type AuditEntry, requestChangesQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Who } from "#console/parts/principals/who.tsx";
import { AuditedLink } from "#console/parts/routing/audited-link.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** A change, and what else its request changed. */
export function AuditView({ openId }: { readonly openId: string }) {
  const words = accessWords().audit;
  const cut = openId.indexOf(".");
  const id = openId.slice(0, cut === -1 ? undefined : cut);
  const requestId = cut === -1 ? "" : openId.slice(cut + 1);
  const { data, error, refetch } = useQuery(requestChangesQuery(requestId));
  if (error !== null && data === undefined) {
    return <Failure error={error} retry={() => void refetch()} />;
  }
  if (data === undefined) return <LoadingRows rows={4} />;
  const entry = data.find((row) => String(row.id) === id);
  if (entry === undefined) return <Empty title={words.gone} />;
  const others = data.filter((row) => row !== entry);
  return (
    <>
      <Details entry={entry} />
      {others.length > 0 && (
        <Section title={words.sameRequest}>
          <ul className="divide-y divide-line rounded-md border border-line">
            {others.map(({ id: otherId, action, object }) => (
              <li key={otherId} className="px-3 py-2">
                <Code>{action}</Code>{" "}
                <AuditedLink object={object}>
                  <Code>{object}</Code>
                </AuditedLink>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Details({ entry }: { readonly entry: AuditEntry }) {
  const words = accessWords().audit;
  const { date, action, object, issuer, subject, clientId, requestId, note } = entry;
  return (
    <Facts>
      <Fact name={words.action}>
        <Code>{action}</Code>
      </Fact>
      <Fact name={words.object}>
        <AuditedLink object={object}>
          <Code>{object}</Code>
        </AuditedLink>
      </Fact>
      {note !== undefined && (
        <Fact name={words.note}>
          <Foreign>{note}</Foreign>
        </Fact>
      )}
      <Fact name={words.when}>
        <Moment at={date} isWhole />
      </Fact>
      <Fact name={words.who}>
        <Who principal={entry} isLink />
      </Fact>
      <Fact name={words.subject}>
        <Filtered search={{ subject }}>{subject}</Filtered>
      </Fact>
      <Fact name={words.client}>
        <Filtered search={{ clientId }}>{clientId}</Filtered>
      </Fact>
      <Fact name={words.issuer}>
        <Code>{issuer}</Code>
      </Fact>
      <Fact name={words.requestId}>
        <span className="inline-flex items-center gap-1">
          <Filtered search={{ requestId }}>{requestId}</Filtered>
          <CopyButton value={requestId} what={words.requestId} />
        </span>
      </Fact>
    </Facts>
  );
}

const Code = ({ children }: { readonly children: string }): ReactNode => (
  <span className="font-mono text-note">
    <Foreign>{children}</Foreign>
  </span>
);

/** A value that leads to all changes with the same one. */
const Filtered = ({
  search,
  children,
}: {
  readonly search: Readonly<Record<string, string>>;
  readonly children: string;
}) => (
  <Link to="/access/audit" search={search} className="text-accent hover:underline">
    <Code>{children}</Code>
  </Link>
);
