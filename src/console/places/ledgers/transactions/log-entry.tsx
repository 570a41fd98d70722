import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Author } from "#console/places/ledgers/logs/author.tsx";
import { authorQuery, type LogEntry, logsQuery } from "#console/places/ledgers/logs/queries.ts";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import { stringifyJson } from "#platform/json.ts";

/** The entry of the log that made a transaction: its place, its hash, and who wrote it. */
export function EntryOf({
  ledger,
  transaction,
}: {
  readonly ledger: string;
  readonly transaction: Transaction;
}) {
  const words = ledgerWords().entry;
  const { data, error, refetch } = useQuery(entryQuery(ledger, transaction));
  return (
    <Section title={words.title}>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows rows={2} />}
      {data === null && <p className="text-muted">{words.none}</p>}
      {data && <EntryFacts ledger={ledger} entry={data} />}
    </Section>
  );
}

function EntryFacts({ ledger, entry }: { readonly ledger: string; readonly entry: LogEntry }) {
  const words = ledgerWords().entry;
  const id = String(entry.id);
  const { data: author } = useQuery({ ...authorQuery(ledger, id), staleTime: Infinity });
  return (
    <Facts>
      <Fact name={words.id}>
        <Link
          to="/ledgers/$ledger/logs"
          params={{ ledger }}
          search={{ open: id }}
          className="figures text-accent hover:underline"
        >
          {id}
        </Link>
      </Fact>
      <Fact name={words.author}>{author !== undefined && <Author author={author} />}</Fact>
      {entry.hash !== "" && (
        <Fact name={words.hash}>
          <span className="flex items-center gap-1 font-mono text-note">
            <span className="min-w-0 wrap-anywhere">{entry.hash}</span>
            <CopyButton value={entry.hash} what={words.hash} />
          </span>
        </Fact>
      )}
      {entry.idempotencyKey !== "" && (
        <Fact name={words.key}>
          <span className="font-mono text-note">
            <Foreign>{entry.idempotencyKey}</Foreign>
          </span>
        </Fact>
      )}
      {entry.schemaVersion !== undefined && (
        <Fact name={words.schema}>
          <Link
            to="/ledgers/$ledger/schema"
            params={{ ledger }}
            search={{ version: entry.schemaVersion }}
            className="text-accent hover:underline"
          >
            <Foreign>{entry.schemaVersion}</Foreign>
          </Link>
        </Fact>
      )}
    </Facts>
  );
}

/** The entry is found by its date, which is that of the transaction. Several entries of one microsecond are told apart by the transaction. */
const entryQuery = (ledger: string, { id, insertedAt }: Transaction) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "entry-of", String(id)],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const query = stringifyJson({ $match: { date: insertedAt } });
      const { rows } = await logsQuery(ledger, query).readPage(undefined, signal);
      const entry = rows.find(
        ({ data }) => "transaction" in data && String(data.transaction.id) === String(id),
      );
      return entry ?? null;
    },
  });
