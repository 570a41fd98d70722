import { queryOptions, useQuery } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import type { components } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

type Entry = components["schemas"]["Log"];
type Author = components["schemas"]["LogAuthor"];

/** The entry of the log that made a transaction: its place, its hash, and who wrote it. */
export function LogEntry({
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
      {data && <EntryFacts {...data} />}
    </Section>
  );
}

function EntryFacts({ entry, author }: { readonly entry: Entry; readonly author: Author | null }) {
  const words = ledgerWords().entry;
  return (
    <Facts>
      <Fact name={words.id}>
        <span className="figures">{String(entry.id)}</span>
      </Fact>
      <Fact name={words.author}>
        {author === null ? (
          <span className="text-muted">{words.noAuthor}</span>
        ) : (
          <span className="flex flex-wrap gap-x-3">
            <Foreign>{author.subject}</Foreign>
            {author.clientId !== author.subject && (
              <span className="text-muted">
                {words.by} <Foreign>{author.clientId}</Foreign>
              </span>
            )}
          </span>
        )}
      </Fact>
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
          <Foreign>{entry.schemaVersion}</Foreign>
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
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/logs",
        { path: { ledger }, query: { pageSize: 50, query } },
        { signal },
      );
      const entry = cursor.data.find(
        ({ data }) => "transaction" in data && String(data.transaction.id) === String(id),
      );
      return entry === undefined ? null : { entry, author: await authorOf(ledger, entry, signal) };
    },
  });

async function authorOf(
  ledger: string,
  { id }: Entry,
  signal: AbortSignal,
): Promise<Author | null> {
  const { data } = await florin.get(
    "/api/florin/v1/ledgers/{ledger}/logs/{id}/author",
    { path: { ledger, id: String(id) } },
    { signal },
  );
  return data;
}
