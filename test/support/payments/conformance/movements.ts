import { describe, expect, test } from "vitest";
import { failureOf } from "./errors.ts";
import { type Bench, type Conformance, type MovementCase, openBench } from "./subject.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Movement, MovementResult, Plugin } from "#modules/payments/connectors/contract.ts";
import { paymentProblem } from "#modules/payments/connectors/provider-objects.ts";
import { given } from "#modules/payments/core/given.ts";
import { present } from "#platform/assert.ts";
import type { FakePsp, PspFault } from "#test/support/psp/fake-psp.ts";

/** Money moves once for each reference, even if requests or answers are lost. */
export function movementConformance<P extends FakePsp>(subject: Conformance<P>): void {
  describe.each(subject.movements ?? [])("$name", (movement) => {
    const openArranged = async () => {
      const bench = openBench(subject);
      await movement.arrange?.(bench);
      return bench;
    };
    const open = async () => {
      const bench = await openArranged();
      return { ...bench, asked: movement.movement(bench.psp) };
    };
    /** The number of requests of a movement. */
    const requestsOf = async (): Promise<number> => {
      const { psp, plugin, asked } = await open();
      const before = psp.requests.length;
      await move(plugin, asked);
      return psp.requests.length - before;
    };

    test("a movement of money gives a valid payment, or an id to ask for the outcome by", async () => {
      const { psp, plugin, asked } = await open();
      const result = await move(plugin, asked);
      if ("payment" in result) expect(paymentProblem(result.payment)).toBeUndefined();
      else expect(result.pollingId).not.toBe("");
      expect(await movement.made(psp, plugin)).toBe(1);
    });

    test("a movement of money moves money once for a reference, and again for another one", async () => {
      const { psp, plugin, asked } = await open();
      const first = await move(plugin, asked);
      const second = await move(plugin, asked);
      expect(await movement.made(psp, plugin)).toBe(1);
      expect(identityOf(second)).toBe(identityOf(first));
      await move(plugin, { ...asked, reference: crypto.randomUUID() });
      expect(await movement.made(psp, plugin)).toBe(2);
    });

    test("a movement of money moves money once when the answer to any of its requests is lost", async () => {
      const requests = await requestsOf();
      for (let at = 0; at < requests; at++) {
        const { psp, plugin, asked } = await open();
        psp.fail(...atPlace(at, { kind: "lose-answer" }));
        // A refusal would claim that no money was moved.
        expect(["unknown", "unreachable"]).toContain((await failureOf(move(plugin, asked))).kind);
        await move(plugin, asked);
        expect(await movement.made(psp, plugin)).toBe(1);
      }
    });

    test("a movement of money moves nothing while the provider takes no requests", async () => {
      const requests = await requestsOf();
      const answer = () => new Response(null, { status: 429, headers: { "retry-after": "7" } });
      for (let at = 0; at < requests; at++) {
        const { psp, plugin, asked } = await open();
        psp.fail(...atPlace(at, { answer }));
        expect(await failureOf(move(plugin, asked))).toMatchObject({
          kind: "rate-limited",
          retryAfterMs: 7000,
        });
        await move(plugin, asked);
        expect(await movement.made(psp, plugin)).toBe(1);
      }
    });

    findOf(open);
    refusalOf(movement, openArranged);
    reversalOf(movement, open);
  });
}

/** Asks for a movement before and after it is made. The question moves nothing. */
function findOf<P>(open: () => Promise<Bench<P> & { readonly asked: Movement }>): void {
  test("a movement of money is found by its reference, if it was made, where the provider can be asked", async () => {
    const { plugin, asked } = await open();
    if (plugin.findMovement === undefined) return;
    const { source, destination, ...sought } = asked;
    const question = {
      ...sought,
      ...given({
        sourceReference: source?.reference,
        destinationReference: destination?.reference,
      }),
    };
    expect(["none", "unknown"]).toContain(await plugin.findMovement(question));
    const made = await move(plugin, asked);
    const found = await plugin.findMovement(question);
    const isMade = typeof found === "object" && ("payment" in found || "pollingId" in found);
    if (!isMade) throw new Error("it is not found");
    expect(identityOf(found)).toBe(identityOf(made));
  });
}

function refusalOf<P>({ refused, made }: MovementCase<P>, open: () => Promise<Bench<P>>): void {
  if (refused === undefined) return;
  test("a movement of money that is refused is invalid, and moves nothing", async () => {
    const { psp, plugin } = await open();
    const failure = await failureOf(move(plugin, refused(psp)));
    expect(failure).toBeInstanceOf(ConnectorError);
    expect(failure.kind).toBe("invalid");
    expect(await made(psp, plugin)).toBe(0);
  });
}

function reversalOf<P>(
  { reversal }: MovementCase<P>,
  open: () => Promise<Bench<P> & { readonly asked: Movement }>,
): void {
  if (reversal === undefined) return;
  test("a movement of money is taken back once for a reference", async () => {
    const { psp, plugin, asked } = await open();
    const moved = await move(plugin, asked);
    const reverse = present(
      asked.type === "TRANSFER" ? plugin.reverseTransfer : plugin.reversePayout,
      "the connector takes movements back",
    );
    const request = {
      reference: "reversal-1",
      createdAt: asked.createdAt,
      description: "",
      amount: asked.amount,
      asset: asked.asset,
      metadata: reversal.metadata(psp),
      movement: asked,
    };
    const first = await reverse(request);
    expect(paymentProblem(first)).toBeUndefined();
    expect(first.status).toBe("REFUNDED");
    if ("payment" in moved) expect(first.parentReference).toBe(moved.payment.reference);
    expect((await reverse(request)).reference).toBe(first.reference);
  });
}

const move = (plugin: Plugin, movement: Movement): Promise<MovementResult> =>
  present(
    movement.type === "TRANSFER" ? plugin.createTransfer : plugin.createPayout,
    "the connector moves money",
  )(movement);

/** Faults for a request at a place; the requests before it are answered well. */
const atPlace = (place: number, fault: PspFault): PspFault[] => [
  ...Array.from({ length: place }, (): PspFault => ({ kind: "none" })),
  fault,
];

const identityOf = (result: MovementResult): string =>
  "payment" in result ? result.payment.reference : result.pollingId;
