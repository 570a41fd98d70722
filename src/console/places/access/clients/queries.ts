import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

export type Client = components["schemas"]["Client"];

/** The beginning of the keys of all queries about clients. */
export const CLIENTS_KEY = ["access", "clients"] as const;

/** All clients, as a list. The API gives them at once. */
export const clientsQuery = () =>
  pages<Client>([...CLIENTS_KEY, "list"], async (_cursor, signal) => {
    const { data } = await florin.get("/api/auth/clients", {}, { signal });
    return { cursor: { data, hasMore: false } };
  });

export const clientQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...CLIENTS_KEY, "one", clientId],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/auth/clients/{clientId}", { path: { clientId } }, { signal })).data,
  });

export const nameOf = ({ name, id }: Client): string => (name === "" ? id : name);

/** The key of a client's metadata that binds the client to ledgers. */
const LEDGERS_KEY = "ledgers";

/** The ledgers that a client is bound to; empty for all. */
export const ledgersOf = ({ metadata }: Client): string => metadata[LEDGERS_KEY] ?? "";

/** Metadata with other ledgers. */
export function withLedgers(
  metadata: Readonly<Record<string, string>>,
  ledgers: string,
): Record<string, string> {
  const { [LEDGERS_KEY]: _, ...others } = metadata;
  return ledgers.trim() === "" ? others : { ...others, [LEDGERS_KEY]: ledgers.trim() };
}
