import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { PAYMENT_CSV, paymentColumns } from "./columns.tsx";
import { PaymentView } from "./payment-view.tsx";
import { paymentsQuery } from "./queries.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import {
  accountField,
  amountFields,
  choicesOf,
  useConnectorField,
} from "#console/places/payments/common/fields.ts";
import { atLeast, equalsEither, hasMetadata } from "#console/places/payments/common/filters.ts";
import { referenceIn } from "#console/places/payments/common/ids.ts";
import { ConnectorsLink } from "#console/places/payments/common/names.tsx";
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
  return (
    <ListPage
      label={words.tabs.payments}
      query={paymentsQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      openId={open}
      onOpen={({ id }) => show(values, id)}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[listRequest("/api/payments/v3/payments", filter)]}
      csv={{ name: "payments", columns: PAYMENT_CSV, linesOf: oneLine }}
      none={words.payments.none}
      begin={<ConnectorsLink />}
      panel={
        open !== undefined && (
          <Panel
            title={referenceIn(open)}
            onClose={() => show(values, undefined)}
            onExpand={() => void navigate({ to: "/payments/payments/$id", params: { id: open } })}
          >
            <PaymentView id={open} />
          </Panel>
        )
      }
    />
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
