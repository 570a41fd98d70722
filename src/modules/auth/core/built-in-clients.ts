import { CONSOLE_CLIENT_ID } from "./console.ts";
import { FCTL_CLIENT_ID } from "./membership.ts";

/** The clients that are a part of the program, with what messages call them. No table holds them. */
const BUILT_IN_CLIENTS: Readonly<Record<string, string>> = {
  [CONSOLE_CLIENT_ID]: "the console of this server",
  [FCTL_CLIENT_ID]: "Formance's command line",
};

/** What messages call a client that is a part of the program; undefined for all other clients. */
export const builtInName = (id: string): string | undefined =>
  Object.hasOwn(BUILT_IN_CLIENTS, id) ? BUILT_IN_CLIENTS[id] : undefined;

export const isBuiltIn = (id: string): boolean => builtInName(id) !== undefined;
