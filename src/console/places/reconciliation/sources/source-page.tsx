import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { MappingFacts } from "./mapping/mapping-facts.tsx";
import { SourceOrigin } from "./origin.tsx";
import { SourceActions } from "./source-actions.tsx";
import { Statements } from "./statements.tsx";
import { UploadSection } from "./upload/upload-section.tsx";
import { UsingMatchings } from "./using-matchings.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { IdFact, LedgerLink } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import { sourcesCrumb } from "#console/places/reconciliation/lines/crumbs.tsx";
import { type ItemSource, sourceQuery } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** A source: what it reads, its files where it has any, and the matchings that use it. */
export function SourcePage() {
  const { id } = useParams({ from: "/reconciliation/sources/$id" });
  const { data, error, refetch } = useQuery({ ...sourceQuery(id), staleTime: 0 });
  return (
    <>
      <PageTitle
        crumbs={[sourcesCrumb()]}
        title={data?.name ?? sourceWords().source}
        actions={
          <>
            <AsCode requests={requestsOf(id, data)} />
            {data !== undefined && mayWrite() && <SourceActions source={data} />}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details source={data} />}
      </div>
    </>
  );
}

function Details({ source }: { readonly source: ItemSource }) {
  const words = sourceWords();
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <div className="grid gap-8 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          {source.kind === "statement" && mayWrite() && (
            <UploadSection key={source.id} source={source} />
          )}
          <UsingMatchings id={source.id} />
        </div>
        <div className="min-w-0">
          <Section title={words.reads}>
            <SourceFacts source={source} />
          </Section>
        </div>
      </div>
      {source.kind === "statement" && (
        <Section title={words.statements.title}>
          <Statements source={source} />
        </Section>
      )}
    </div>
  );
}

function SourceFacts({ source }: { readonly source: ItemSource }) {
  const { fields, kind, format, direction } = sourceWords();
  return (
    <Facts>
      <Fact name={fields.kind}>{kind[source.kind]}</Fact>
      {source.kind === "accounts" ? (
        <>
          <Fact name={fields.ledger}>
            <LedgerLink ledger={source.ledger} />
          </Fact>
          <Fact name={fields.accounts}>
            <span className="font-mono text-note">{source.account}</span>
          </Fact>
          <Fact name={fields.direction}>{direction[source.direction]}</Fact>
          {source.negate && <Fact name={fields.sign}>{sourceWords().negated}</Fact>}
        </>
      ) : (
        hasOrigin(source) && (
          <Fact name={fields.origin}>
            <SourceOrigin source={source} />
          </Fact>
        )
      )}
      {source.kind === "statement" && (
        <Fact name={fields.format}>
          {source.format === undefined ? sourceWords().form.anyFormat : format[source.format]}
        </Fact>
      )}
      {source.kind === "statement" && source.mapping !== undefined && (
        <MappingFacts mapping={source.mapping} />
      )}
      <Fact name={fields.created}>
        <Moment at={source.createdAt} isWhole />
      </Fact>
      <IdFact id={source.id} />
    </Facts>
  );
}

/** Whether a source says what it reads: one of files may take those of any account. */
const hasOrigin = (source: ItemSource): boolean =>
  source.kind !== "statement" || source.account !== undefined;

const requestsOf = (sourceID: string, source: ItemSource | undefined) => [
  readRequest("/api/florin/v1/reconciliation/sources/{sourceID}", { sourceID }),
  ...(source?.kind === "statement"
    ? [readRequest("/api/florin/v1/reconciliation/sources/{sourceID}/statements", { sourceID })]
    : []),
];
