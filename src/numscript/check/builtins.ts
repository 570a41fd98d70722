import type { AccountRole } from "./report.ts";
import { type FeatureFlag, FEATURES } from "#numscript/features.ts";
import type { ValueType } from "#numscript/syntax/ast.ts";

/** The type of an expression. `any` is an unknown type, or one that does not matter. */
export type CheckedType = ValueType | "any";

/** A version of the interpreter, as `X.Y.Z`. */
export type Version = readonly [number, number, number];

/** The version and feature flag that a script which names its version needs for a feature. */
export interface Requirement {
  readonly version: Version;
  readonly feature?: FeatureFlag;
}

export interface Builtin {
  readonly name: string;
  readonly parameters: readonly CheckedType[];
  /** The type of the result; undefined for a function that is a statement. */
  readonly result?: CheckedType;
  /** The role of the account in the first argument. */
  readonly accountRole?: AccountRole;
  /** The index of the argument that determines the asset of the result. */
  readonly assetArgument?: number;
  readonly requirement?: Required<Requirement>;
  readonly documentation: string;
}

const DEFINITIONS: readonly Builtin[] = [
  {
    name: "set_tx_meta",
    parameters: ["string", "any"],
    documentation: "set transaction metadata",
  },
  {
    name: "set_account_meta",
    parameters: ["account", "string", "any"],
    accountRole: "metadata",
    documentation: "set account metadata",
  },
  {
    name: "meta",
    parameters: ["account", "string"],
    result: "any",
    accountRole: "metadata",
    documentation: "fetch account metadata",
  },
  {
    name: "balance",
    parameters: ["account", "asset"],
    result: "monetary",
    accountRole: "balance",
    assetArgument: 1,
    documentation: "fetch account balance",
  },
  {
    name: "overdraft",
    parameters: ["account", "asset"],
    result: "monetary",
    accountRole: "balance",
    assetArgument: 1,
    requirement: { version: [0, 0, 15], feature: FEATURES.overdraftFunction },
    documentation:
      "get absolute amount of the overdraft of an account. Returns zero if balance is not negative",
  },
  {
    name: "get_asset",
    parameters: ["monetary"],
    result: "asset",
    assetArgument: 0,
    requirement: { version: [0, 0, 16], feature: FEATURES.getAssetFunction },
    documentation: "get the asset of the given monetary",
  },
  {
    name: "get_amount",
    parameters: ["monetary"],
    result: "number",
    requirement: { version: [0, 0, 16], feature: FEATURES.getAmountFunction },
    documentation: "get the amount of the given monetary",
  },
];

/** The functions that scripts can call, by name. The grammar of the machine accepts the first four. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  DEFINITIONS.map((builtin) => [builtin.name, builtin]),
);

/** The text in Markdown that an editor shows for the name of each function. */
export const BUILTIN_HOVERS: ReadonlyMap<string, string> = new Map(
  DEFINITIONS.map(({ name, parameters, result, documentation }) => {
    const arrow = result === undefined ? "" : ` -> ${result}`;
    return [name, `\`${name}(${parameters.join(", ")})${arrow}\`\n\n${documentation}`];
  }),
);
