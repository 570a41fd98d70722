import { z } from "zod";
import { PROFILE_ID } from "./accounts.ts";
import { amountOf, type WiseClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const WiseBalance = z.object({
  amount: z.object({ value: kit.DecimalText, currency: kit.Text }),
  modificationTime: kit.Date3339,
});

/** The balance of an account; empty for an account that was closed. */
export async function fetchBalances(
  client: WiseClient,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const profile = parent?.metadata[PROFILE_ID];
  if (parent === undefined || profile === undefined) {
    throw kit.refused("balances belong to an account of a profile");
  }
  const { reference } = parent;
  const path = `/v4/profiles/${encodeURIComponent(profile)}/balances/${encodeURIComponent(reference)}`;
  const balance = await client.find({ path }, WiseBalance, "a balance");
  const amount = balance && amountOf(balance.amount, { what: "balance", id: reference });
  return balance ? kit.onlyBalance(reference, balance.modificationTime, amount) : kit.EMPTY_PAGE;
}
