import { expect, test } from "vitest";
import { fromMicros, toMicros } from "#platform/time.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

const ASSETS = ["USD/2", "EUR/2", "A", "B/6", "GBP"];
const AMOUNTS = [0n, 7n, 2n ** 53n - 1n, 2n ** 53n, 10n ** 40n];
const PAGE = {
  kind: "column",
  column: "address",
  order: "asc",
  pageSize: 10,
  reverse: false,
} as const;

test.each([0, 1, 4, 5])("volumes are the same now and at a date, with %i assets", (assets) => {
  const ledger = new TestLedger();
  ledger.commit(create(posting("world -> a", 1n, ASSETS[0])));
  for (const [index, asset] of ASSETS.slice(0, assets).entries()) {
    for (const amount of AMOUNTS.slice(index)) {
      ledger.commit(
        create([posting("world -> a", amount, asset), posting("a -> b", amount, asset)]),
      );
    }
  }
  ledger.commit(create(posting("a -> b", 1n, ASSETS[0])));
  const { reads } = ledger.engine;
  const pit = fromMicros(toMicros(ledger.now) + 1_000_000_000n);
  for (const expansion of [
    { volumes: true, effectiveVolumes: false },
    { volumes: false, effectiveVolumes: true },
    { volumes: true, effectiveVolumes: true },
  ]) {
    const { data } = reads.listAccounts(PAGE, expansion);
    expect(data).toEqual(reads.listAccounts({ ...PAGE, pit }, expansion).data);
    expect(data.map(({ address }) => address)).toEqual(["a", "b", "world"]);
    for (const account of data) {
      expect(reads.findAccount(account.address, expansion)).toEqual(account);
      const volumes = account.volumes ?? account.effectiveVolumes ?? [];
      expect(volumes.length).toBe(Math.max(1, assets));
      expect(volumes.every((it) => it.account === account.address)).toBe(true);
    }
  }
});
