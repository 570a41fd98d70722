import * as z from "zod";
import type { BalanceSource } from "./template.ts";
import { assertLedgerName, assertQuery, invalid } from "#modules/reconciliation/core/fields.ts";
import { parseUuid } from "#modules/reconciliation/core/uuid.ts";
import { BigIntegerInput } from "#platform/validation.ts";

/** Most assets that tolerances or bounds name, and most terms of an invariant: each term is a read. */
const ASSETS_MAX = 100;
export const TERMS_MAX = 20;

const ASSET = /^[A-Z][A-Z0-9]{0,16}(?:_[A-Z]{1,16})?(?:\/\d{1,6})?$/;

/** Values by asset. */
export const byAsset = <S extends z.ZodType>(value: S) =>
  z
    .record(z.string().regex(ASSET, "expected the name of an asset, such as EUR/2"), value)
    .refine(
      (values) => Object.keys(values).length <= ASSETS_MAX,
      `expected at most ${ASSETS_MAX} assets`,
    );

/** Tolerances by asset, from zero. */
export const Tolerances = byAsset(
  BigIntegerInput.refine((amount) => amount >= 0n, "expected an integer from 0"),
);

/** A sign: 1 or -1. */
export const Sign = BigIntegerInput.refine(
  (sign) => sign === 1n || sign === -1n,
  "expected 1 or -1",
);

/** A filter of accounts; `ledgerSource` checks it. */
export const QueryField = z.unknown();

/** The accounts of a ledger as a source. Throws `VALIDATION`; the texts name the fields. */
export function ledgerSource(
  { ledger, query }: { readonly ledger: string; readonly query: unknown },
  names: { readonly ledger: string; readonly query: string },
): BalanceSource & { readonly kind: "ledger" } {
  assertLedgerName(ledger, names.ledger);
  assertQuery(query, { what: names.query, mayBeEmpty: false });
  return { kind: "ledger", ledger, query: query as Readonly<Record<string, unknown>> }; // `assertQuery` lets objects pass only
}

/** A pool as a source. Throws `VALIDATION`, naming the field. */
export function poolSource(text: string, name: string): BalanceSource & { readonly kind: "pool" } {
  const poolId = parseUuid(text);
  if (poolId === undefined) throw invalid(`${name} is not a UUID`);
  return { kind: "pool", poolId };
}
