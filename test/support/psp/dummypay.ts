import { FakePsp, jsonAnswer } from "./fake-psp.ts";

export const DUMMYPAY_DIRECTORY = "https://dummypay.example/files";

/** The files of a dummy provider on a web server. */
export class FakeDummypay extends FakePsp {
  readonly accounts: { id: string; name: string; opening_date: string; currency: string }[] = [];
  readonly balances: { account_id: string; amount_in_minors: number; currency: string }[] = [];

  constructor() {
    super({ origins: [new URL(DUMMYPAY_DIRECTORY).origin], refuse: () => undefined });
    this.route("GET", "/files/accounts.json", () => jsonAnswer(this.accounts));
    this.route("GET", "/files/balances.json", () => jsonAnswer(this.balances));
  }
}
