import { createHash } from "node:crypto";
import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

const Effect = z.object({ asset: z.string(), amount: kit.Amount });
type Effect = z.output<typeof Effect>;
const Reversed = z.object({ amount: kit.Amount });

/**
 * The movements that were made, as texts of the installation: what each has done to an account, under the name of the account and its own
 * reference. A reference is stored once, so that a movement that is made again moves nothing.
 */
export function movementBook(store: kit.PluginStore) {
  return {
    /** Moves an amount. Nothing is refused for lack of money: this provider lends without limit. */
    async move(movement: kit.Movement): Promise<kit.MovementResult> {
      const { type, reference, source, destination, amount, asset, createdAt } = movement;
      if (source === undefined) throw kit.refused("source account is required");
      if (destination === undefined) throw kit.refused("destination account is required");
      await store.insert(
        { name: movedName(reference), value: stringifyJson({ amount: String(amount) }) },
        effectOf(source.reference, reference, { asset, amount: -amount }),
        effectOf(destination.reference, reference, { asset, amount }),
      );
      const ends = kit.endsOf({ source, destination });
      const moved = { reference, createdAt, type, amount, asset, ...ends };
      return { payment: paymentOf(moved, "SUCCEEDED") };
    },

    /** Moves an amount back, of the payment that the movement has made, and at most as much as was moved. */
    async reverse({
      reference,
      createdAt,
      amount,
      movement,
    }: kit.Reversal): Promise<kit.ProviderPayment> {
      const { type, source, destination, asset } = movement;
      if (source === undefined || destination === undefined) {
        throw kit.refused("no reversable balance found");
      }
      if ((await store.find(movedName(movement.reference))) === undefined) {
        throw kit.refused("no balance data found");
      }
      const prefix = reversedPrefix(movement.reference);
      const done = await store.list(prefix);
      const name = prefix + digestOf(reference);
      if (done.every((text) => text.name !== name)) {
        const reversed = done.map(({ value }) => Reversed.parse(parseJson(value)).amount);
        if (reversed.reduce((sum, each) => sum + each, amount) > movement.amount) {
          throw kit.refused(`balance will be negative if ${amount} is subtracted`);
        }
        await store.insert(
          { name, value: stringifyJson({ amount: String(amount) }) },
          effectOf(source.reference, `reversal/${reference}`, { asset, amount }),
          effectOf(destination.reference, `reversal/${reference}`, { asset, amount: -amount }),
        );
      }
      const ends = kit.endsOf({ source, destination });
      const moved = { reference, createdAt, type, amount, asset, ...ends };
      return { ...paymentOf(moved, "REFUNDED"), parentReference: movement.reference };
    },

    /** What movements and reversals have done to an account. */
    async effectsOn(account: string): Promise<Effect[]> {
      const texts = await store.list(`account/${digestOf(account)}/`);
      return texts.map(({ value }) => Effect.parse(parseJson(value)));
    },
  };
}

type Moved = Omit<kit.ProviderPayment, "scheme" | "status" | "metadata" | "raw">;

function paymentOf(moved: Moved, status: kit.PaymentStatus): kit.ProviderPayment {
  const { reference, amount, asset } = moved;
  const raw = stringifyJson({ reference, amount: String(amount), asset });
  return { ...moved, scheme: "OTHER", status, metadata: {}, raw };
}

/** References have any length and characters, and none may look like the beginning of another one. */
const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

const movedName = (reference: string): string => `moved/${digestOf(reference)}`;
const reversedPrefix = (reference: string): string => `reversed/${digestOf(reference)}/`;

const effectOf = (
  account: string,
  reference: string,
  { asset, amount }: Effect,
): kit.StoredText => ({
  name: `account/${digestOf(account)}/${digestOf(reference)}`,
  value: stringifyJson({ asset, amount: String(amount) }),
});
