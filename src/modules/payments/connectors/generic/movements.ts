import type { GenericProvider } from "./pages.ts";
import { toMovementPayment } from "./provider-objects.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

const ASSET = /^[A-Z][A-Z0-9]*(?:\/\d+)?$/;

/** Moves money. The reference of the movement is the idempotency key, so that a call may be repeated. */
export async function createMovement(
  { fetch, endpoint, apiKey }: GenericProvider,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { type, reference, source, destination, amount, asset, description, metadata } = movement;
  if (source === undefined) throw kit.refused("source account is required");
  if (destination === undefined) throw kit.refused("destination account is required");
  if (amount <= 0n) throw kit.refused("amount must be positive");
  if (reference === "") throw kit.refused("reference is required");
  if (!ASSET.test(asset)) throw kit.refused(`the asset ${asset} is not valid`);
  const response = await fetch({
    method: "POST",
    url: `${endpoint}/${type === "PAYOUT" ? "payouts" : "transfers"}`,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: stringifyJson({
      idempotencyKey: reference,
      amount: amount.toString(),
      currency: asset,
      sourceAccountId: source.reference,
      destinationAccountId: destination.reference,
      description,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    }),
  });
  kit.assertFound(response);
  return { payment: toMovementPayment(kit.parseAnswer(response), { type, reference }) };
}

/**
 * Asks for the movement with an idempotency key. A provider that does not find it, or refuses the question, may not offer it, because it is
 * optional in the contract: then only its list of transactions says that there is none.
 */
export async function findMovement(
  provider: GenericProvider,
  { type, reference }: kit.SoughtMovement,
): Promise<kit.FoundMovement> {
  const response = await askFor(provider, reference);
  if (response === undefined || response.status === 404 || !isJson(response)) return "unknown";
  return { payment: toMovementPayment(kit.parseAnswer(response), { type, reference }) };
}

/** Whether an answer is JSON: a server that knows no such path may answer each with a page for people. */
function isJson({ text }: kit.ProviderResponse): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** The answer about a movement; undefined if the provider refuses the question. */
async function askFor(
  { fetch, endpoint, apiKey }: GenericProvider,
  reference: string,
): Promise<kit.ProviderResponse | undefined> {
  try {
    return await fetch({
      method: "GET",
      url: `${endpoint}/movements/${encodeURIComponent(reference)}`,
      headers: { authorization: `Bearer ${apiKey}` },
      // A server may not know the method or the path.
      errorKindOf: ({ status }) => (status === 501 ? "invalid" : undefined),
    });
  } catch (error) {
    if (error instanceof kit.ConnectorError && error.kind === "invalid") return undefined;
    throw error;
  }
}
