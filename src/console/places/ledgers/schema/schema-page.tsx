import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChartTree } from "./chart-tree.tsx";
import { chartOf } from "./chart.ts";
import { NewSchema } from "./new-schema.tsx";
import { type Schema, schemasQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Tiles } from "#console/parts/base/choice.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CodeEditor } from "#console/parts/editor/code-editor.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { PresentOnly } from "#console/places/ledgers/moment/present-only.tsx";
import { schemasRequest } from "#console/places/ledgers/requests.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** The schema of a ledger: its versions, the chart of accounts, and the templates of a version. */
export function SchemaPage() {
  const words = ledgerWords().schema;
  const { ledger } = useParams({ from: "/ledgers/$ledger/schema" });
  const { version } = useSearch({ from: "/ledgers/$ledger/schema" });
  const navigate = useNavigate();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    schemasQuery(ledger),
  );
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows />;
  const schemas = data.pages.flatMap(({ rows }) => rows);
  const shown = schemas.find((schema) => schema.version === version) ?? schemas[0];
  const insert = may("ledger:write") ? <NewSchema ledger={ledger} latest={schemas[0]} /> : null;
  if (shown === undefined) {
    return (
      <>
        <PresentOnly />
        <Empty title={words.none}>{insert}</Empty>
      </>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PresentOnly />
      <div className="max-w-4xl p-6 max-sm:p-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div className="flex min-w-0 flex-wrap items-center gap-2">
            <Tiles
              label={words.versions}
              options={schemas.map((schema) => [
                schema.version,
                <Foreign key={schema.version}>{schema.version}</Foreign>,
              ])}
              chosen={shown.version}
              onChoose={(next) =>
                void navigate({
                  to: "/ledgers/$ledger/schema",
                  params: { ledger },
                  search: { version: next },
                  replace: true,
                })
              }
            />
            {hasNextPage && (
              <Button kind="quiet" onClick={() => void fetchNextPage()}>
                {words.olderVersions}
              </Button>
            )}
          </div>
          <div className="flex gap-2">
            <AsCode requests={[schemasRequest(ledger)]} />
            {insert}
          </div>
        </div>
        <p className="mt-3 text-muted">
          {words.insertedAt} <Moment at={shown.createdAt} isWhole />
        </p>
        <Version key={shown.version} schema={shown} />
      </div>
    </div>
  );
}

function Version({ schema }: { readonly schema: Schema }) {
  const words = ledgerWords().schema;
  const { chart, transactions = {}, queries = {} } = schema;
  const templates = Object.entries(transactions);
  const lists = Object.entries(queries);
  return (
    <div className="mt-6">
      <Section title={words.chart}>
        <ChartTree nodes={chartOf(chart)} />
      </Section>
      <Section title={words.templates}>
        {templates.length === 0 && <p className="text-muted">{words.noTemplates}</p>}
        {templates.map(([name, template]) => (
          <Template key={name} name={name} template={template} />
        ))}
      </Section>
      {lists.length > 0 && (
        <Section title={words.queries}>
          {lists.map(([name, query]) => (
            <details key={name} className="border-b border-line py-2">
              <Summary name={name} note={textAt(query, "description")} />
              <JsonView value={query} />
            </details>
          ))}
        </Section>
      )}
      <Section title={words.source}>
        <details>
          <summary className="cursor-pointer text-muted">{words.showSource}</summary>
          <div className="mt-2">
            <JsonView value={{ chart, transactions, queries }} />
          </div>
        </details>
      </Section>
    </div>
  );
}

/** A template of transactions, with its script. */
function Template({ name, template }: { readonly name: string; readonly template: unknown }) {
  const script = textAt(template, "script");
  return (
    <details className="border-b border-line py-2">
      <Summary name={name} note={textAt(template, "description")} />
      {script === undefined ? (
        <JsonView value={template} />
      ) : (
        <div className="mt-2">
          <CodeEditor language="numscript" label={name} value={script} minLines={1} />
        </div>
      )}
    </details>
  );
}

const Summary = ({ name, note }: { readonly name: string; readonly note: string | undefined }) => (
  <summary className="cursor-pointer">
    <span className="font-mono text-note font-medium">
      <Foreign>{name}</Foreign>
    </span>
    {note !== undefined && (
      <span className="ml-3 text-muted">
        <Foreign>{note}</Foreign>
      </span>
    )}
  </summary>
);

/** A text among the members of a value. */
function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const member = (value as Readonly<Record<string, unknown>>)[name]; // Any object has members.
  return typeof member === "string" ? member : undefined;
}
