import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";

/** Statuses of an object that does not exist, or that the principal may not read. */
const ABSENT: ReadonlySet<number> = new Set([401, 404]);

/**
 * Reads a path of Florin's own API in the name of the context's principal, so that a search shows what its caller may read, as it is now.
 * Returns undefined for what does not exist or may not be read. Throws `OVERLOADED` where the API fails.
 */
export async function readApi(
  { readOwnApi, principal }: ServiceContext,
  path: string,
): Promise<unknown> {
  const response = await present(readOwnApi, "this work reads the API")(path, principal);
  const text = await response.text();
  if (response.ok) return parseJson(text);
  if (ABSENT.has(response.status)) return undefined;
  throw new AppError("OVERLOADED", "an object that was found could not be read; try again");
}
