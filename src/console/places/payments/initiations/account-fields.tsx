import { useQuery } from "@tanstack/react-query";
import type { InitiationValues } from "./initiation-values.ts";
import { SelectField } from "#console/parts/forms/fields.tsx";
import { visible } from "#console/parts/language/visible.ts";
import {
  type AccountAtProvider,
  accountMenuQuery,
} from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

type Option = readonly [value: string, label: string];

/** The accounts to choose from, and the values with what follows from the choices. */
export interface Menus {
  readonly sources: readonly Option[];
  readonly destinations: readonly Option[];
  /** The values with the only connector, and with the asset of the paying account unless another one was typed. */
  readonly complete: (values: InitiationValues) => InitiationValues;
}

/** The menus of the form. A payout goes to somebody else's account, a transfer to an own one. */
export function useMenus(values: InitiationValues, movers: readonly Option[]): Menus {
  const connector = connectorOf(values, movers);
  const { data = [] } = useQuery({
    ...accountMenuQuery(connector),
    enabled: connector !== "",
  });
  const own = data.filter(({ type }) => type !== "EXTERNAL");
  const reached = values.type === "PAYOUT" ? data.filter(({ type }) => type !== "INTERNAL") : own;
  return {
    sources: own.map(toOption),
    destinations: reached.filter(({ id }) => id !== values.source).map(toOption),
    complete: (form) => {
      const source = data.find(({ id }) => id === form.source);
      const asset = form.asset === "" ? (source?.defaultAsset ?? "") : form.asset;
      return { ...form, connector: connectorOf(form, movers), asset };
    },
  };
}

const connectorOf = ({ connector }: InitiationValues, movers: readonly Option[]): string =>
  movers.some(([id]) => id === connector)
    ? connector
    : movers.length === 1
      ? (movers[0]?.[0] ?? "")
      : "";

const toOption = ({ id, name, reference }: AccountAtProvider): Option => [
  id,
  visible(name === undefined || name === reference ? reference : `${name} (${reference})`),
];

/** The inputs of the connector and of the two accounts. */
export function AccountFields({
  movers,
  values,
  menus,
  onChange,
}: {
  readonly movers: readonly Option[];
  readonly values: InitiationValues;
  readonly menus: Menus;
  readonly onChange: (next: Partial<InitiationValues>) => void;
}) {
  const { fields, initiations } = paymentWords();
  const none: Option = ["", initiations.choose];
  return (
    <>
      <SelectField
        label={fields.connector}
        value={values.connector}
        onChange={(connector) => onChange({ connector, source: "", destination: "", asset: "" })}
        options={[none, ...movers]}
        isRequired
      />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <SelectField
          label={fields.from}
          value={values.source}
          onChange={(source) => onChange({ source, asset: "" })}
          options={[none, ...menus.sources]}
          isRequired
        />
        <SelectField
          label={fields.to}
          value={values.destination}
          onChange={(destination) => onChange({ destination })}
          options={[none, ...menus.destinations]}
          isRequired
        />
      </div>
    </>
  );
}
