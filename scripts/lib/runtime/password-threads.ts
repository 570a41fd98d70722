import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { derivePasswordKey, type PasswordWork } from "#platform/secrets/password-key.ts";

/**
 * Derives keys of passwords for the Worker, in the threads of this process. The runtime has one thread for all requests, which a derivation
 * would block for a fifth of a second. Never rejects.
 */
export async function passwordThreads(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const work = JSON.parse(await text(incoming)) as PasswordWork; // `PasswordHashObject` sends this form.
    outgoing.writeHead(200).end(await derivePasswordKey(work));
  } catch (error) {
    outgoing.writeHead(500).end(String(error));
  }
}
