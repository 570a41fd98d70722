import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Author } from "./author.tsx";
import { authorQuery, type LogEntry, logQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { AccountLink } from "#console/places/ledgers/account-link.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** A log entry: what it changed, by whom, and the hash that chains it to the one before. */
export function LogView({ ledger, id }: { readonly ledger: string; readonly id: string }) {
  const { data, error, refetch } = useQuery(logQuery(ledger, id));
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={4} />;
  if (data === null) return <Empty title={ledgerWords().logs.notFound(id)} />;
  return <Details ledger={ledger} entry={data} />;
}

function Details({ ledger, entry }: { readonly ledger: string; readonly entry: LogEntry }) {
  const words = ledgerWords().logs;
  const { id, type, date, hash, idempotencyKey, schemaVersion, data } = entry;
  return (
    <>
      <Facts>
        <Fact name={words.type}>{words.types[type]}</Fact>
        <Fact name={words.subject}>
          <Subject ledger={ledger} entry={entry} />
        </Fact>
        <Fact name={words.written}>
          <Moment at={date} isWhole />
        </Fact>
        <Fact name={words.author}>
          <AuthorOf ledger={ledger} id={String(id)} />
        </Fact>
        {idempotencyKey !== "" && (
          <Fact name={words.idempotencyKey}>
            <Copyable value={idempotencyKey} what={words.idempotencyKey} />
          </Fact>
        )}
        {schemaVersion !== undefined && schemaVersion !== "" && (
          <Fact name={words.schemaVersion}>
            <Link
              to="/ledgers/$ledger/schema"
              params={{ ledger }}
              search={{ version: schemaVersion }}
              className="text-accent hover:underline"
            >
              <Foreign>{schemaVersion}</Foreign>
            </Link>
          </Fact>
        )}
        <Fact name={words.hash}>
          {hash === "" ? (
            <span className="text-muted">{words.noHash}</span>
          ) : (
            <Copyable value={hash} what={words.hash} />
          )}
        </Fact>
      </Facts>
      <Section title={words.data}>
        <JsonView value={data} />
      </Section>
    </>
  );
}

const Copyable = ({ value, what }: { readonly value: string; readonly what: string }) => (
  <span className="inline-flex max-w-full items-center gap-1 font-mono text-note">
    <Foreign>{value}</Foreign>
    <CopyButton value={value} what={what} />
  </span>
);

function AuthorOf({ ledger, id }: { readonly ledger: string; readonly id: string }) {
  const { data, error } = useQuery(authorQuery(ledger, id));
  if (error !== null) return <span className="text-muted">{error.message}</span>;
  return data === undefined ? "…" : <Author author={data} />;
}

/** A link to what the entry changed. */
function Subject({ ledger, entry }: { readonly ledger: string; readonly entry: LogEntry }) {
  const target = targetOf(entry);
  if (target === undefined) return <Foreign>{subjectOf(entry)}</Foreign>;
  if (target.kind === "account") return <AccountLink ledger={ledger} address={target.id} />;
  return (
    <Link
      to="/ledgers/$ledger/transactions/$id"
      params={{ ledger, id: target.id }}
      className="text-accent hover:underline"
    >
      {ledgerWords().transactionTitle(target.id)}
    </Link>
  );
}

interface Target {
  readonly kind: "account" | "transaction";
  readonly id: string;
}

/** The account or the transaction that an entry is about. */
function targetOf({ data }: LogEntry): Target | undefined {
  if ("revertedTransaction" in data)
    return { kind: "transaction", id: String(data.revertedTransaction.id) };
  if ("transaction" in data) return { kind: "transaction", id: String(data.transaction.id) };
  if (!("targetType" in data)) return undefined;
  return {
    kind: data.targetType === "ACCOUNT" ? "account" : "transaction",
    id: String(data.targetId),
  };
}

/** What an entry is about, as text. */
function subjectOf(entry: LogEntry): string {
  const target = targetOf(entry);
  if (target !== undefined)
    return target.kind === "account" ? target.id : ledgerWords().transactionTitle(target.id);
  return "schema" in entry.data ? entry.data.schema.version : "";
}

/** What an entry did, in a line: from where to where a transaction moved, or else what it is about. */
export function summaryOf(entry: LogEntry): string {
  const { data } = entry;
  if (!("transaction" in data)) return subjectOf(entry);
  const [first, ...others] = data.transaction.postings;
  if (first === undefined) return ledgerWords().zeroAmount;
  const more = others.length === 0 ? "" : ` +${others.length}`;
  return `${first.source} → ${first.destination}${more}`;
}
