import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { INITIATION_CSV, initiationColumns } from "./columns.tsx";
import { InitiationView } from "./initiation-view.tsx";
import { NewInitiation } from "./new-initiation.tsx";
import { initiationsQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListBar } from "#console/parts/lists/list-bar.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";
import {
  accountField,
  amountFields,
  choicesOf,
  useConnectorField,
} from "#console/places/payments/common/fields.ts";
import {
  atLeast,
  equals,
  equalsEither,
  filterOf,
  hasMetadata,
} from "#console/places/payments/common/filters.ts";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The orders to providers to move money, newest first. An order opens beside the list. */
export function InitiationsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/initiations" });
  const navigate = useNavigate();
  const columns = useMemo(() => initiationColumns(), []);
  const fields = useFields(search.account);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/payments/initiations",
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate],
  );
  const filter = filterOf(values, CONDITIONS);
  const query = initiationsQuery(filter);
  const create = may("payments:write") ? <NewInitiation /> : null;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <ListBar
          actions={
            <>
              <AsCode requests={[listRequest("/api/payments/v3/payment-initiations", filter)]} />
              <CsvButton
                file="initiations"
                query={query}
                columns={INITIATION_CSV}
                linesOf={(row) => [row]}
              />
              {create}
            </>
          }
        >
          <FilterBar fields={fields} values={values} onChange={(next) => show(next, open)} />
        </ListBar>
        <List
          label={words.tabs.initiations}
          query={query}
          columns={columns}
          idOf={({ id }) => id}
          openId={open}
          onOpen={({ id }) => show(values, id)}
          empty={
            filter === undefined ? (
              <Empty title={words.initiations.none}>{create}</Empty>
            ) : (
              <Empty title={partWords().filter.nothingFits} />
            )
          }
        />
      </div>
      {open !== undefined && (
        <Panel
          title={referenceIn(open)}
          onClose={() => show(values, undefined)}
          onExpand={() => void navigate({ to: "/payments/initiations/$id", params: { id: open } })}
        >
          <InitiationView key={open} id={open} />
        </Panel>
      )}
    </div>
  );
}

const CONDITIONS = {
  status: equals("status"),
  type: equals("type"),
  connector: equals("connector_id"),
  account: equalsEither("source_account_id", "destination_account_id"),
  reference: equals("reference"),
  asset: equals("asset"),
  amount: atLeast,
  metadata: hasMetadata,
};

function useFields(account: string | undefined): readonly FilterField[] {
  const { fields, initiationStatus, paymentType } = paymentWords();
  const { PAYOUT, TRANSFER } = paymentType;
  const connector = useConnectorField();
  return [
    {
      id: "status",
      label: fields.status,
      example: "FAILED",
      choices: choicesOf(initiationStatus),
    },
    {
      id: "type",
      label: fields.type,
      example: "PAYOUT",
      choices: choicesOf({ PAYOUT, TRANSFER }),
    },
    connector,
    accountField(account),
    ...amountFields(),
  ];
}
