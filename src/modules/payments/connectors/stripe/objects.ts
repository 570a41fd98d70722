import { z } from "zod";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import { Text } from "#modules/payments/connectors/kit/objects.ts";

/** Currencies that the provider counts otherwise than ISO 4217 does. */
export const CURRENCIES = new Currencies({ exceptions: { ISK: 2, MGA: 0, UGX: 2 } });

/** Another object: its id, or all of it where it was asked for. */
export const Reference = z
  .union([Text, z.object({ id: Text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? undefined);
