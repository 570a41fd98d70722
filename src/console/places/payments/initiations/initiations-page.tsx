import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { INITIATION_CSV, initiationColumns } from "./columns.tsx";
import { InitiationView } from "./initiation-view.tsx";
import { NewInitiation } from "./new-initiation.tsx";
import { initiationsQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
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
  return (
    <ListPage
      label={words.tabs.initiations}
      query={initiationsQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      openId={open}
      onOpen={({ id }) => show(values, id)}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[listRequest("/api/payments/v3/payment-initiations", filter)]}
      csv={{ name: "initiations", columns: INITIATION_CSV, linesOf: oneLine }}
      create={may("payments:write") ? <NewInitiation /> : null}
      none={words.initiations.none}
      panel={
        open !== undefined && (
          <Panel
            title={referenceIn(open)}
            onClose={() => show(values, undefined)}
            onExpand={() =>
              void navigate({ to: "/payments/initiations/$id", params: { id: open } })
            }
          >
            <InitiationView key={open} id={open} />
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
