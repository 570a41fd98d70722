import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { PAYMENT_CSV, paymentColumns } from "./columns.tsx";
import { PaymentView } from "./payment-view.tsx";
import { paymentsQuery } from "./queries.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { ListBar } from "#console/parts/layout/list-bar.tsx";
import { Panel } from "#console/parts/layout/panel.tsx";
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

/** The payments of all connectors, newest first. A payment opens beside the list. */
export function PaymentsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/payments" });
  const navigate = useNavigate();
  const columns = useMemo(() => paymentColumns(), []);
  const fields = useFields(search.account);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/payments/payments",
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate],
  );
  const filter = filterOf(values, CONDITIONS);
  const query = paymentsQuery(filter);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <ListBar
          actions={
            <>
              <AsCode requests={[listRequest("/api/payments/v3/payments", filter)]} />
              <CsvButton
                file="payments"
                query={query}
                columns={PAYMENT_CSV}
                linesOf={(row) => [row]}
              />
            </>
          }
        >
          <FilterBar fields={fields} values={values} onChange={(next) => show(next, open)} />
        </ListBar>
        <List
          label={words.tabs.payments}
          query={query}
          columns={columns}
          idOf={({ id }) => id}
          openId={open}
          onOpen={({ id }) => show(values, id)}
          empty={
            <Empty
              title={filter === undefined ? words.payments.none : partWords().filter.nothingFits}
            />
          }
        />
      </div>
      {open !== undefined && (
        <Panel
          title={referenceIn(open)}
          onClose={() => show(values, undefined)}
          onExpand={() => void navigate({ to: "/payments/payments/$id", params: { id: open } })}
        >
          <PaymentView id={open} />
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
  const { fields, paymentStatus, paymentType } = paymentWords();
  const connector = useConnectorField();
  return [
    {
      id: "status",
      label: fields.status,
      example: "SUCCEEDED",
      choices: choicesOf(paymentStatus),
    },
    { id: "type", label: fields.type, example: "PAYOUT", choices: choicesOf(paymentType) },
    connector,
    accountField(account),
    ...amountFields(),
  ];
}
