import { useQuery } from "@tanstack/react-query";
import { isAmount, isMetadata } from "./filters.ts";
import { referenceIn } from "./ids.ts";
import { connectorNamesQuery } from "./queries.ts";
import type { FilterChoice, FilterField } from "#console/parts/filters/filter-text.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The values of a closed set, by their words. */
export const choicesOf = (words: Readonly<Record<string, string>>): FilterChoice[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** The connectors to choose from in a filter. */
export function useConnectorField(): FilterField {
  const { data = [] } = useQuery(connectorNamesQuery());
  return {
    id: "connector",
    label: paymentWords().fields.connector,
    example: "Treasury bank",
    choices: data.map(({ connectorID, name }) => ({ value: connectorID, label: name })),
  };
}

/** The filter by an account, which other pages link to. It is shown by the provider's name of the account. */
export const accountField = (id: string | undefined): FilterField => ({
  id: "account",
  label: paymentWords().fields.account,
  example: paymentWords().fields.accountId,
  accepts: () => true,
  choices: id === undefined ? [] : [{ value: id, label: referenceIn(id) }],
});

/** The filters that lists of payments and initiations share. */
export function amountFields(): readonly FilterField[] {
  const { fields } = paymentWords();
  return [
    { id: "reference", label: fields.reference, example: "rent-2026-11" },
    { id: "asset", label: fields.asset, example: "EUR/2" },
    { id: "amount", label: fields.atLeast, example: "10000", accepts: isAmount },
    { id: "metadata", label: fields.metadata, example: "order=1234", accepts: isMetadata },
  ];
}
