import { CONSOLE_CLIENT_ID } from "./console.ts";
import { FCTL_CLIENT_ID } from "./membership.ts";

/** The id of the client of the operators' command line, which people log in to by device codes only. */
export const COMMAND_LINE_CLIENT_ID = "florin-cli";

/** The clients that are a part of the program, with what messages call them. No table holds them. */
const BUILT_IN_CLIENTS = {
  [CONSOLE_CLIENT_ID]: "the console of this server",
  [FCTL_CLIENT_ID]: "Formance's command line",
  [COMMAND_LINE_CLIENT_ID]: "the command line of this server",
} as const;

export type BuiltInClientId = keyof typeof BUILT_IN_CLIENTS;

/** What messages call a client that is a part of the program; undefined for all other clients. */
export const builtInName = (id: string): string | undefined =>
  isBuiltIn(id) ? BUILT_IN_CLIENTS[id] : undefined;

export const isBuiltIn = (id: string): id is BuiltInClientId => Object.hasOwn(BUILT_IN_CLIENTS, id);
