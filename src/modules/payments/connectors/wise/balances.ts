import { z } from "zod";
import { PROFILE_ID } from "./accounts.ts";
import { amountOf, type WiseClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { Date3339, DecimalText, Text } from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage } from "#modules/payments/connectors/kit/pages.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";

const WiseBalance = z.object({
  amount: z.object({ value: DecimalText, currency: Text }),
  modificationTime: Date3339,
});

/** What is there now on one account. A balance that was closed is none. */
export async function fetchBalances(
  client: WiseClient,
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const profile = parent?.metadata[PROFILE_ID];
  if (parent === undefined || profile === undefined) {
    throw new ConnectorError("invalid", "balances belong to an account of a profile");
  }
  const { reference } = parent;
  const path = `/v4/profiles/${encodeURIComponent(profile)}/balances/${encodeURIComponent(reference)}`;
  const balance = await client.find({ path }, WiseBalance, "a balance");
  const amount = balance && amountOf(balance.amount, { what: "balance", id: reference });
  const items =
    balance === undefined || amount === undefined
      ? []
      : [{ accountReference: reference, createdAt: balance.modificationTime, ...amount }];
  return onlyPage(items);
}
