import { may } from "#console/api/florin.ts";
import type {
  SourceKind,
  SourceRequest,
  StatementFormat,
} from "#console/places/reconciliation/queries/sources.ts";

export const FORMATS: readonly StatementFormat[] = [
  "camt.053",
  "mt940",
  "mt942",
  "bai2",
  "ofx",
  "csv",
  "json-lines",
  "stripe-balance",
  "adyen-settlement",
];

export type Direction = "in" | "out" | "both";

/** The values of the form of a new source, of all kinds. */
export interface ItemSourceDraft {
  readonly kind: SourceKind;
  readonly name: string;
  /** The account of a bank, of which all files have to be. */
  readonly bankAccount: string;
  readonly format: StatementFormat | "";
  readonly ledger: string;
  readonly account: string;
  readonly direction: Direction;
  readonly negate: boolean;
  readonly connectorID: string;
  readonly poolID: string;
}

/** The kinds of sources that the person may make: whoever makes a source has to read what it reads. */
export const sourceKinds = (): readonly SourceKind[] => [
  "statement",
  ...(may("ledger:read") ? (["accounts"] as const) : []),
  ...(may("payments:read") ? (["connector", "pool"] as const) : []),
];

export const EMPTY_SOURCE: ItemSourceDraft = {
  kind: "statement",
  name: "",
  bankAccount: "",
  format: "",
  ledger: "",
  account: "",
  direction: "both",
  negate: false,
  connectorID: "",
  poolID: "",
};

/** The request of the form: only what belongs to the kind. */
export function toSourceRequest(draft: ItemSourceDraft): SourceRequest {
  const { kind, name, bankAccount, format, ledger, account } = draft;
  switch (kind) {
    case "statement":
      return {
        kind,
        name,
        ...(bankAccount === "" ? {} : { account: bankAccount }),
        ...(format === "" ? {} : { format }),
      };
    case "accounts":
      return { kind, name, ledger, account, direction: draft.direction, negate: draft.negate };
    case "connector":
      return { kind, name, connectorID: draft.connectorID };
    case "pool":
      return { kind, name, poolID: draft.poolID };
  }
}
