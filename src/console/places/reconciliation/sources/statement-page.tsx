import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { AddsUp, Balances, HeadPeriod, StatementState } from "./statement-parts.tsx";
import { RefusalView } from "./upload/refusal-view.tsx";
import { type WireRequest, toWire } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { Empty, Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { List } from "#console/parts/table/list.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { LINK, shortId } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import { sourcesCrumb, useSourceCrumb } from "#console/places/reconciliation/lines/crumbs.tsx";
import { Day } from "#console/places/reconciliation/lines/day.tsx";
import { DownloadButton } from "#console/places/reconciliation/lines/download.tsx";
import { LineText } from "#console/places/reconciliation/lines/texts.tsx";
import {
  SOURCES_KEY,
  type Statement,
  type StatementHead,
  type StatementLine,
  statementLinesQuery,
  statementQuery,
} from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

const PATH = "/api/florin/v1/reconciliation/sources/{sourceID}/statements/{statementID}";

/** A file of a source: what it says of itself, whether it adds up, and its lines. */
export function StatementPage() {
  const { id, statement } = useParams({
    from: "/reconciliation/sources/$id/statements/$statement",
  });
  const place = { sourceID: id, statementID: statement };
  const crumb = useSourceCrumb(id);
  const { data, error, refetch } = useQuery(statementQuery(place));
  return (
    <>
      <PageTitle
        crumbs={[sourcesCrumb(), crumb]}
        title={data?.fileName ?? sourceWords().statements.one}
        actions={
          <>
            <AsCode requests={[readRequest(PATH, place), readRequest(`${PATH}/lines`, place)]} />
            {data?.state === "ready" && (
              <DownloadButton request={fileRequest(place)} file={data.fileName ?? data.id}>
                {sourceWords().statements.download}
              </DownloadButton>
            )}
            {data !== undefined && mayWrite() && <DeleteStatement place={place} />}
          </>
        }
      />
      <div className="flex min-h-0 flex-1 flex-col border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details statement={data} />}
      </div>
    </>
  );
}

type Place = { readonly sourceID: string; readonly statementID: string };

const fileRequest = (path: Place): WireRequest => toWire("get", `${PATH}/file`, { path });

function Details({ statement }: { readonly statement: Statement }) {
  const { id, sourceID, state, refusal, heads } = statement;
  const words = sourceWords().statements;
  const columns = useMemo(() => columnsOf(), []);
  return (
    <>
      <div className="max-h-[45%] shrink-0 overflow-y-auto border-b border-line p-6 max-sm:p-4">
        {refusal !== undefined && <RefusalView refusal={refusal} />}
        <div className="grid gap-8 lg:grid-cols-2">
          <StatementFacts statement={statement} />
          <ul className="min-w-0 space-y-5">
            {heads.map((head, place) => (
              // oxlint-disable-next-line react/no-array-index-key -- A statement is its place in the file.
              <li key={place}>
                <HeadFacts head={head} sourceID={sourceID} />
              </li>
            ))}
          </ul>
        </div>
      </div>
      <List
        label={words.lines}
        query={statementLinesQuery({ sourceID, statementID: id }, state)}
        columns={columns}
        idOf={(line) => line.id}
        empty={<Empty title={state === "refused" ? words.refusedLines : words.noLines} />}
      />
    </>
  );
}

function StatementFacts({ statement }: { readonly statement: Statement }) {
  const { fields, format } = sourceWords();
  const { state, sha256, bytes, lines, pending, uploadedAt } = statement;
  return (
    <Facts>
      <Fact name={fields.state}>
        <StatementState state={state} />
      </Fact>
      {state === "ready" && (
        <Fact name={fields.addsUp}>
          <AddsUp statement={statement} />
        </Fact>
      )}
      <Fact name={fields.period}>
        <HeadPeriod heads={statement.heads} />
      </Fact>
      <Fact name={fields.lines}>
        {formatCount(lines)}
        {pending > 0 && (
          <span className="text-muted">
            {" "}
            {sourceWords().statements.pending(formatCount(pending))}
          </span>
        )}
      </Fact>
      {statement.format !== undefined && (
        <Fact name={fields.format}>{format[statement.format]}</Fact>
      )}
      <Fact name={fields.size}>{sourceWords().bytes(formatCount(bytes))}</Fact>
      <Fact name={fields.uploaded}>
        <Moment at={uploadedAt} isWhole />
      </Fact>
      <Fact name={fields.hash}>
        <span className="inline-flex max-w-full items-center gap-1">
          <span className="truncate font-mono text-note">{sha256}</span>
          <CopyButton value={sha256} what={fields.hash} />
        </span>
      </Fact>
    </Facts>
  );
}

function HeadFacts({
  head,
  sourceID,
}: {
  readonly head: StatementHead;
  readonly sourceID: string;
}) {
  const { fields, statements: words } = sourceWords();
  const { name, account, asset, gap, totals } = head;
  return (
    <Facts>
      {name !== undefined && (
        <Fact name={fields.statementName}>
          <Foreign>{name}</Foreign>
        </Fact>
      )}
      {account !== undefined && (
        <Fact name={fields.bankAccount}>
          <span className="font-mono text-note">
            <Foreign>{account}</Foreign>
          </span>
        </Fact>
      )}
      {head.opening !== undefined && (
        <Fact name={fields.balances}>
          <Balances head={head} />
        </Fact>
      )}
      <Fact name={fields.total}>
        <span className="flex flex-wrap gap-x-3">
          {Object.entries(totals).map(([of, amount]) => (
            <Money key={of} amount={amount} asset={of} />
          ))}
        </span>
      </Fact>
      {gap !== undefined && (
        <Fact name={words.gap}>
          {words.gapText}{" "}
          <Link
            to="/reconciliation/sources/$id/statements/$statement"
            params={{ id: sourceID, statement: gap.statementID }}
            className={LINK}
          >
            {shortId(gap.statementID)}
          </Link>{" "}
          {asset !== undefined && <Money amount={gap.closing} asset={asset} />}
        </Fact>
      )}
    </Facts>
  );
}

function DeleteStatement({ place }: { readonly place: Place }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={sourceWords().statements}
      remove={(call) => florin.delete(PATH, { path: place }, call)}
      refresh={[SOURCES_KEY]}
      onDone={() => navigate({ to: "/reconciliation/sources/$id", params: { id: place.sourceID } })}
    />
  );
}

function columnsOf(): readonly Column<StatementLine>[] {
  const { fields } = sourceWords();
  return [
    {
      id: "date",
      header: fields.date,
      width: 96,
      cell: ({ date }) => <Day day={date} />,
      phone: "note",
    },
    {
      id: "text",
      header: fields.text,
      width: 200,
      grow: 1,
      cell: ({ texts }) => <LineText texts={texts} />,
      phone: "main",
    },
    {
      id: "value-date",
      header: fields.valueDate,
      width: 96,
      rank: 2,
      cell: ({ valueDate }) => (valueDate === undefined ? null : <Day day={valueDate} />),
    },
    {
      id: "place",
      header: fields.fileLine,
      width: 72,
      rank: 3,
      isNumber: true,
      cell: ({ fileLine, raw }) => <span title={raw}>{formatCount(fileLine)}</span>,
    },
    {
      id: "amount",
      header: fields.amount,
      width: 130,
      isNumber: true,
      cell: ({ amount, asset }) => <Money amount={amount} asset={asset} />,
      phone: "end",
    },
  ];
}
