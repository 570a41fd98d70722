import type { ProviderConversion } from "#modules/payments/connectors/provider-orders.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";

export interface Conversion extends Omit<
  ProviderConversion,
  "reference" | "sourceReference" | "destinationReference"
> {
  readonly key: number;
  readonly id: OwnedId;
  readonly sourceAccount?: OwnedId;
  readonly destinationAccount?: OwnedId;
}
