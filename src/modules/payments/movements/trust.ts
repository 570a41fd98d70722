import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FoundMovement } from "#modules/payments/connectors/contract.ts";

/** A question to a provider about what it has made under a reference. */
type Question = (reference: string) => Promise<FoundMovement>;

/**
 * Whether the answers of a provider are about what it was asked. A stub, a proxy or a new version of its API may leave out the reference and
 * answer each question with its latest payment, which would then settle any number of orders:
 *
 *     question ── nothing found ─────────────────────────────────────► the answer
 *         └────── found ── a reference that nobody has given? ┬ nothing ► the answer
 *                          (once for each `Trust`)            └ found ──► "unknown"
 */
export class Trust {
  #findsAll: Promise<boolean> | undefined;

  /** Asks about a reference. Throws the `ConnectorError` of the question. */
  async answer(
    ask: Question,
    { reference }: { readonly reference: string },
  ): Promise<FoundMovement> {
    const found = await ask(reference);
    if (typeof found === "string") return found;
    this.#findsAll ??= findsAll(ask);
    return (await this.#findsAll) ? "unknown" : found;
  }
}

/** Whether a provider finds something under a reference that nobody has given. One that refuses the question has found nothing. */
async function findsAll(ask: Question): Promise<boolean> {
  try {
    return typeof (await ask(crypto.randomUUID())) === "object";
  } catch (error) {
    if (error instanceof ConnectorError && error.kind === "invalid") return false;
    throw error;
  }
}
