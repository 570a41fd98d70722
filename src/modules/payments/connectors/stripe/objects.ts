import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Currencies that the provider counts otherwise than ISO 4217 does. */
export const CURRENCIES = new kit.Currencies({ exceptions: { ISK: 2, MGA: 0, UGX: 2 } });

/** The reference of a movement, in the metadata of what it has made. */
export const REFERENCE = "florin_reference";

/** Longest value of metadata that the provider takes, in characters. */
const VALUE_LENGTH_MAX = 500;

/** A reference as it stands in metadata. */
export const markOf = (reference: string): string =>
  reference.length <= VALUE_LENGTH_MAX ? reference : kit.sha256(reference, "hex");

/** Another object: its id, or all of it where it was asked for. */
export const Reference = z
  .union([kit.Text, z.object({ id: kit.Text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? undefined);
