import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { approveInitiation } from "#modules/payments/initiations/approve.ts";
import { systemContext } from "#platform/context.ts";
import { armForTheNextFile, disarm } from "#test/support/deployment/arming.ts";
import {
  bankingcircle,
  candidatesOf,
  CopiedDeployment,
  currencycloud,
  mangopay,
  openReviews,
  REVIEWS,
  SCOPES,
  statusOf,
} from "#test/support/deployment/copied-deployment.ts";
import { readCopiedRows, restoreRows } from "#test/support/deployment/copied-rows.ts";
import { api, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const context = systemContext(env, "test");

afterAll(armForTheNextFile);
beforeEach(armForTheNextFile);
afterEach(() => {
  vi.restoreAllMocks();
});

describe("what a deployment pays after its backup", () => {
  test.each([
    ["currencycloud", "is asked", currencycloud],
    ["mangopay", "lists references", mangopay],
  ])(
    "what a deployment pays after its backup is paid once, also by the restored copy: %s, which %s",
    async (name, _how, open) => {
      const deployment = await CopiedDeployment.open(name, open());
      const [moving, unpaid] = [
        await deployment.order({ isSent: true }),
        await deployment.order({ isSent: true }),
      ];
      const [waits, stays] = [
        await deployment.order({ isSent: false }),
        await deployment.order({ isSent: false }),
      ];
      const backup = await readCopiedRows();
      await approveInitiation(context, waits);
      await deployment.pay(moving, waits);
      await disarm({ reason: "restored" });
      await restoreRows(backup);
      expect(await statusOf(waits)).toBe("WAITING_FOR_VALIDATION");

      await deployment.arm();
      expect([await statusOf(moving), await statusOf(waits)]).toEqual(["PROCESSED", "PROCESSED"]);
      expect(await openReviews()).toEqual(new Map());
      await approveInitiation(context, stays);
      await deployment.pay(unpaid, stays);
      const orders = [moving, waits, unpaid, stays];
      expect(orders.map((id) => deployment.timesSent(id))).toEqual([1, 1, 1, 1]);
    },
  );

  test("what a deployment pays after its backup is paid once also if nobody can tell the copy: a person decides", async () => {
    const deployment = await CopiedDeployment.open("bankingcircle", bankingcircle());
    const [moving, unpaid] = [
      await deployment.order({ isSent: true }),
      await deployment.order({ isSent: true }),
    ];
    const waits = await deployment.order({ isSent: false });
    const backup = await readCopiedRows();
    await approveInitiation(context, waits);
    await deployment.pay(moving, waits);
    await disarm({ reason: "restored" });
    await restoreRows(backup);

    await deployment.arm();
    const reviews = await openReviews();
    const orders = [moving, waits, unpaid];
    expect([...reviews.keys()].toSorted()).toEqual(orders.map(encodeOwnedId).toSorted());
    expect(orders.map((id) => deployment.timesSent(id))).toEqual([1, 1, 0]);
    const decide = async (id: OwnedId, body: object): Promise<void> => {
      const path = `${REVIEWS}/${reviews.get(encodeOwnedId(id)) ?? ""}`;
      const answer = await api(path, { token: await token(SCOPES), body });
      expect(answer.status).toBe(200);
    };
    // The provider lists both payments, and only a person knows which is whose.
    for (const [at, id] of [moving, waits].entries()) {
      const [paymentReference] = await eventually(async () => {
        const found = await candidatesOf(reviews.get(encodeOwnedId(id)) ?? "");
        expect(found).toHaveLength(2 - at);
        return found;
      });
      await decide(id, { decision: "paid", paymentReference });
    }
    await decide(unpaid, { decision: "not-paid" });
    await deployment.pay(unpaid);
    expect([await statusOf(moving), await statusOf(waits)]).toEqual(["PROCESSED", "PROCESSED"]);
    expect(orders.map((id) => deployment.timesSent(id))).toEqual([1, 1, 1]);
    expect(await openReviews()).toEqual(new Map());
  });
});
