import { z } from "zod";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import { Text } from "#modules/payments/connectors/kit/objects.ts";
import { sha256 } from "#modules/payments/connectors/kit/signatures.ts";

/** Currencies that the provider counts otherwise than ISO 4217 does. */
export const CURRENCIES = new Currencies({ exceptions: { ISK: 2, MGA: 0, UGX: 2 } });

/** The reference of a movement, in the metadata of what it has made. */
export const REFERENCE = "florin_reference";

/** Longest value of metadata that the provider takes, in characters. */
const VALUE_LENGTH_MAX = 500;

/** A reference as it stands in metadata. */
export const markOf = (reference: string): string =>
  reference.length <= VALUE_LENGTH_MAX ? reference : sha256(reference, "hex");

/** Another object: its id, or all of it where it was asked for. */
export const Reference = z
  .union([Text, z.object({ id: Text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? undefined);
