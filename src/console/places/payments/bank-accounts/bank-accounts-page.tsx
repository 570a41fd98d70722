import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewBankAccount } from "./new-bank-account.tsx";
import { type BankAccount, bankAccountsQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListBar } from "#console/parts/lists/list-bar.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import {
  equals,
  filterOf,
  hasMetadata,
  isMetadata,
} from "#console/places/payments/common/filters.ts";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The bank accounts, newest first. */
export function BankAccountsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/bank-accounts" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  const query = bankAccountsQuery(filter);
  const create = may("payments:write") ? <NewBankAccount /> : null;
  return (
    <>
      <ListBar
        actions={
          <>
            <AsCode requests={[listRequest("/api/payments/v3/bank-accounts", filter)]} />
            <CsvButton file="bank-accounts" query={query} columns={CSV} linesOf={(row) => [row]} />
            {create}
          </>
        }
      >
        <FilterBar
          fields={fields}
          values={values}
          onChange={(next) =>
            void navigate({ to: "/payments/bank-accounts", search: next, replace: true })
          }
        />
      </ListBar>
      <List
        label={words.tabs.bankAccounts}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/payments/bank-accounts/$id", params: { id } })}
        empty={
          filter === undefined ? (
            <Empty title={words.bankAccounts.none}>{create}</Empty>
          ) : (
            <Empty title={partWords().filter.nothingFits} />
          )
        }
      />
    </>
  );
}

const CONDITIONS = {
  name: equals("name"),
  country: equals("country"),
  metadata: hasMetadata,
};

function fieldsOf(): readonly FilterField[] {
  const { fields, bankAccounts } = paymentWords();
  return [
    { id: "name", label: fields.name, example: "Rent" },
    { id: "country", label: bankAccounts.country, example: "FR" },
    { id: "metadata", label: fields.metadata, example: "order=1234", accepts: isMetadata },
  ];
}

const CSV: readonly CsvColumn<BankAccount>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["country", ({ country }) => country],
  ["created_at", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<BankAccount>[] {
  const { fields, bankAccounts } = paymentWords();
  return [
    {
      id: "name",
      header: fields.name,
      width: 160,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "country",
      header: bankAccounts.country,
      width: 80,
      cell: ({ country = "" }) => <Foreign>{country}</Foreign>,
      phone: "note",
    },
    {
      id: "related",
      header: bankAccounts.known,
      width: 120,
      isNumber: true,
      cell: ({ relatedAccounts }) => formatCount(relatedAccounts.length),
      phone: "end",
    },
    {
      id: "created",
      header: fields.created,
      width: 152,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "note",
    },
  ];
}
