import type { NewInitiation } from "./queries.ts";
import { locale } from "#console/parts/language/words.ts";
import { parseAmount } from "#console/parts/money/parse-amount.ts";

/** The values of the form of a new initiation, as its inputs have them. */
export interface InitiationValues {
  readonly type: NewInitiation["type"];
  readonly connector: string;
  readonly source: string;
  readonly destination: string;
  /** In the asset's unit. */
  readonly amount: string;
  readonly asset: string;
  readonly reference: string;
  readonly description: string;
  /** A time of the viewer's zone; empty for at once. */
  readonly scheduledAt: string;
}

export const EMPTY: InitiationValues = {
  type: "PAYOUT",
  connector: "",
  source: "",
  destination: "",
  amount: "",
  asset: "",
  reference: "",
  description: "",
  scheduledAt: "",
};

/** The request of the form. The server refuses an amount of zero, which stands for a text that is no amount. */
export function toRequest(values: InitiationValues): NewInitiation {
  const { type, connector, source, destination, asset, reference, description } = values;
  return {
    type,
    asset,
    reference: reference.trim(),
    description,
    connectorID: connector,
    amount: parseAmount(values.amount, asset, locale) ?? 0n,
    destinationAccountID: destination,
    ...(source === "" ? {} : { sourceAccountID: source }),
    ...(values.scheduledAt === ""
      ? {}
      : { scheduledAt: new Date(values.scheduledAt).toISOString() }),
  };
}
