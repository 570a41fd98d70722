import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";
import type { FetchNode, FetchTask, PluginPorts } from "#modules/payments/connectors/contract.ts";
import type { Capability } from "#modules/payments/core/enums.ts";

/** The client of an API, with some of the ports of its installation. */
export type ClientWith<Client, Ports extends keyof PluginPorts> = {
  readonly client: Client;
} & Pick<PluginPorts, Ports>;

/** The members that most fields of configurations have in common. */
export const REQUIRED_TEXT = { type: "string", isRequired: true } as const;

/** The rule of a field whose value must be a URL. */
export const URL_RULE = { name: "url", holds: (value: string) => URL.canParse(value) } as const;

interface ValueTypes {
  readonly string: string;
  readonly "unsigned integer": number;
  readonly boolean: boolean;
}

/** A configuration as a plugin reads it: a value for each field, by the field's name. */
export type ConfigOf<Fields extends readonly ConfigField[]> = {
  readonly [Field in Fields[number] as Field["name"]]: ValueTypes[Field["type"]];
};

/** Reads a configuration that was checked against its fields. */
export const readConfig = <Fields extends readonly ConfigField[]>(
  fields: Fields,
  values: PluginConfig,
): ConfigOf<Fields> =>
  Object.fromEntries(
    fields.map(({ name, type }) => [name, readValue(type, values[name])]),
  ) as ConfigOf<Fields>; // each field has a member of its name and of its declared type

function readValue(type: ConfigField["type"], value: PluginConfig[string] | undefined) {
  switch (type) {
    case "string":
      return String(value);
    case "unsigned integer":
      return Number(value);
    case "boolean":
      return value === true;
  }
}

/** The capabilities of a kind that fetches accounts of the connector and of others, balances and payments. */
export const FETCHES = [
  "FETCH_ACCOUNTS",
  "FETCH_BALANCES",
  "FETCH_EXTERNAL_ACCOUNTS",
  "FETCH_PAYMENTS",
] as const satisfies readonly Capability[];

/** A task that runs again after each polling period, for each item of its parent. */
export const periodic = (task: FetchTask, ...children: readonly FetchNode[]): FetchNode => ({
  task,
  isPeriodic: true,
  children,
});

/** A task that runs once for each time that its parent gives an item, or once for an installation if it is a root. */
export const once = (task: FetchTask): FetchNode => ({ task, isPeriodic: false, children: [] });
