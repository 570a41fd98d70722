import { createHash } from "node:crypto";
import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

const Effect = z.object({ asset: z.string(), amount: kit.Amount });
type Effect = z.output<typeof Effect>;
const Reversed = z.object({ amount: kit.Amount });

/**
 * The movements of an installation. The store has a text for the effect of each movement on each account, named after the account and the
 * reference. A reference is stored once, so that a repeated movement moves nothing.
 */
export function movementBook(store: kit.PluginStore) {
  return {
    /** Moves an amount. Balances may become negative. */
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

    /** What has become of a movement. */
    async find(movement: kit.SoughtMovement): Promise<kit.FoundMovement> {
      const isMoved = (await store.find(movedName(movement.reference))) !== undefined;
      return isMoved ? { payment: paymentOf(movement, "SUCCEEDED") } : "none";
    },

    /** What has become of a reversal. */
    async findReversal(reversal: kit.Reversal): Promise<kit.FoundMovement> {
      const name = reversedPrefix(reversal.movement.reference) + digestOf(reversal.reference);
      if ((await store.find(name)) === undefined) return "none";
      return { payment: refundOf(reversal) };
    },

    /** Returns an amount of a movement. All reversals of a movement together return at most the amount that it moved. */
    async reverse(reversal: kit.Reversal): Promise<kit.ProviderPayment> {
      const { reference, amount, movement } = reversal;
      const { source, destination, asset } = movement;
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
      return refundOf(reversal);
    },

    /** The effects of movements and reversals on an account. */
    async effectsOn(account: string): Promise<Effect[]> {
      const texts = await store.list(`account/${digestOf(account)}/`);
      return texts.map(({ value }) => Effect.parse(parseJson(value)));
    },
  };
}

function refundOf({ reference, createdAt, amount, movement }: kit.Reversal): kit.ProviderPayment {
  const { type, asset, source, destination } = movement;
  const ends = kit.given({
    sourceReference: source?.reference,
    destinationReference: destination?.reference,
  });
  const moved = { reference, createdAt, type, amount, asset, ...ends };
  return { ...paymentOf(moved, "REFUNDED"), parentReference: movement.reference };
}

type Moved = Omit<kit.ProviderPayment, "scheme" | "status" | "metadata" | "raw">;

function paymentOf(moved: Moved, status: kit.PaymentStatus): kit.ProviderPayment {
  const { reference, amount, asset } = moved;
  const raw = stringifyJson({ reference, amount: String(amount), asset });
  return { ...moved, scheme: "OTHER", status, metadata: {}, raw };
}

/**
 * The digest of a reference, for names in the store. References have any length and any characters, and no name may be a prefix of another
 * name.
 */
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
