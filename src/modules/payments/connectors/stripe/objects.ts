import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Currencies for which the provider deviates from ISO 4217. */
export const CURRENCIES = new kit.Currencies({ exceptions: { ISK: 2, MGA: 0, UGX: 2 } });

/** The name of the metadata that contains the reference of the movement that has created an object. */
export const REFERENCE = "florin_reference";

/** Longest value of metadata that the provider accepts, in characters. */
const VALUE_LENGTH_MAX = 500;

/** The value of metadata for a reference: the reference itself, or its SHA-256 if it is too long. */
export const markOf = (reference: string): string =>
  reference.length <= VALUE_LENGTH_MAX ? reference : kit.sha256(reference, "hex");

/** The id of another object, which an answer contains as an id or, if expanded, as the object. */
export const Reference = z
  .union([kit.Text, z.object({ id: kit.Text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? undefined);
