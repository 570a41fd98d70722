import { parseAsset, toDecimal } from "#console/parts/money/asset.ts";
import type { Rule } from "#console/places/reconciliation/queries/common.ts";
import type { Integer } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

export type CheckKind = Rule["templateKind"];

/** What a rule reads: accounts of a ledger by a filter, or a pool; and whether its balances count with the other sign. */
export type CheckSource = { readonly sign: 1 | -1 } & (
  | { readonly kind: "ledger"; readonly ledger: string; readonly query: unknown }
  | { readonly kind: "pool"; readonly poolId: string }
);

/** What is allowed of an asset: a distance from zero, or bounds of a balance. */
export interface AssetLimit {
  readonly asset: string;
  readonly tolerance?: Integer;
  readonly min?: Integer;
  readonly max?: Integer;
}

/** The check of a rule, of any kind. */
export interface CheckSpec {
  readonly kind: CheckKind;
  readonly sources: readonly CheckSource[];
  readonly isPerAccount: boolean;
  readonly limits: readonly AssetLimit[];
}

type Members = Readonly<Record<string, unknown>>;

/** The check that a rule has; undefined for a stored specification that this page does not understand. */
export function specOf({
  templateKind: kind,
  templateSpec: spec,
}: Pick<Rule, "templateKind" | "templateSpec">): CheckSpec | undefined {
  const sources = sourcesOf(kind, spec);
  if (sources.includes(undefined)) return undefined;
  return {
    kind,
    sources: sources.filter((source) => source !== undefined),
    isPerAccount: spec["mode"] === "per_account" || spec["scope"] === "per_account",
    limits:
      kind === "account_threshold" ? boundsOf(spec["bounds"]) : tolerancesOf(spec["tolerance"]),
  };
}

function sourcesOf(kind: CheckKind, spec: Members): readonly (CheckSource | undefined)[] {
  switch (kind) {
    case "ledger_vs_pool_drift":
      return [
        accountsOf(spec["ledger"], spec["ledgerQuery"], spec["ledgerSign"]),
        poolOf(spec["paymentsPoolID"]),
      ];
    case "ledger_invariant": {
      const { terms } = spec;
      if (!Array.isArray(terms)) return [undefined];
      return terms.map((term: unknown) => {
        const { ledger, query, sign } = membersOf(term);
        return accountsOf(ledger, query, sign);
      });
    }
    case "account_threshold":
      return [accountsOf(spec["ledger"], spec["query"], 1)];
    case "source_parity":
      return [spec["left"], spec["right"]].map((side) => {
        const { ledger, query, poolID } = membersOf(side);
        return poolID === undefined ? accountsOf(ledger, query, 1) : poolOf(poolID);
      });
  }
}

const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {};

const accountsOf = (ledger: unknown, query: unknown, sign: unknown): CheckSource | undefined =>
  typeof ledger === "string"
    ? { kind: "ledger", ledger, query, sign: String(sign) === "-1" ? -1 : 1 }
    : undefined;

const poolOf = (poolId: unknown): CheckSource | undefined =>
  typeof poolId === "string" ? { kind: "pool", poolId, sign: 1 } : undefined;

const tolerancesOf = (value: unknown): readonly AssetLimit[] =>
  Object.entries(membersOf(value)).flatMap(([asset, amount]) => {
    const tolerance = integerOf(amount);
    return tolerance === undefined ? [] : [{ asset, tolerance }];
  });

const boundsOf = (value: unknown): readonly AssetLimit[] =>
  Object.entries(membersOf(value)).map(([asset, bounds]) => {
    const [min, max] = [integerOf(membersOf(bounds)["min"]), integerOf(membersOf(bounds)["max"])];
    return {
      asset,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    };
  });

/** An integer of the API, which evidence also has as a text of digits; undefined for anything else. */
export function integerOf(value: unknown): Integer | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  return typeof value === "string" && /^-?\d{1,1000}$/.test(value) ? BigInt(value) : undefined;
}

/**
 * A filter of accounts as people write it: an address, or several with commas. A filter of any other shape stays JSON, so that nothing of it
 * is lost; no filter is an empty text.
 */
export function accountsText(query: unknown): string {
  const members = membersOf(query);
  if (Object.keys(members).length === 0) return "";
  const whole = addressOf(members);
  if (whole !== undefined) return whole;
  const { $or: either, ...others } = members;
  if (Array.isArray(either) && either.length > 1 && Object.keys(others).length === 0) {
    const addresses = either.map(addressOf);
    if (!addresses.includes(undefined)) return addresses.join(", ");
  }
  return stringifyJson(query);
}

/** The address of a filter that asks for nothing else; undefined for one that a list of addresses cannot say. */
function addressOf(filter: unknown): string | undefined {
  const { $match: match, ...others } = membersOf(filter);
  const { address, ...more } = membersOf(match);
  const isOnly = Object.keys(others).length === 0 && Object.keys(more).length === 0;
  return isOnly && typeof address === "string" && ADDRESS.test(address) ? address : undefined;
}

/** An address or a pattern of addresses, such as `users::main` or `users:...`. */
const ADDRESS = /^(?:[\w:-]+(?:\.{3})?|\.{3})$/;

/** The filter that a text of `accountsText` means; undefined for a text that is neither a list of addresses nor JSON of an object. */
export function queryOf(
  text: string,
  parse: (json: string) => unknown,
): Readonly<Record<string, unknown>> | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  if (trimmed.startsWith("{")) {
    try {
      const query = parse(trimmed);
      return typeof query === "object" && query !== null && !Array.isArray(query)
        ? (query as Members)
        : undefined;
    } catch {
      return undefined; // The parser refuses a text only by throwing.
    }
  }
  const filters = trimmed.split(",").map((part) => part.trim());
  if (!filters.every((address) => ADDRESS.test(address))) return undefined;
  const matches = filters.map((address) => ({ $match: { address } }));
  return matches.length === 1 ? matches[0] : { $or: matches };
}

/** An amount as a person types it, without separators of thousands. */
export const amountText = (amount: Integer, asset: string, decimal: string): string =>
  toDecimal(amount, parseAsset(asset)).replace(".", decimal);
