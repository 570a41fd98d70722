import { inject } from "vitest";
import { present } from "#platform/assert.ts";
import { ServerClient } from "#test/support/platform/server.ts";

/** The server that the files of the project share; undefined in a project without one. */
export function findSharedServer(): ServerClient | undefined {
  const address = inject("sharedServer");
  return address === undefined ? undefined : new ServerClient(address);
}

/** The server that the e2e tests share (`start-shared-server.ts`). Tests use fresh names on it, because other files call it at once. */
export const sharedServer = (): ServerClient =>
  present(findSharedServer(), "the project has a shared server");

/** The state folder of the shared server, for programs that find a server by its folder. */
export const sharedFolder = (): string =>
  present(inject("sharedServer"), "the project has a shared server").folder;
