import { FakePsp, jsonAnswer, numberedPage } from "#test/support/psp/fake-psp.ts";

export const EXAMPLE_CONFIG = {
  apiKey: "psp-secret-example-key",
  endpoint: "https://api.example.example/v1",
};

/** The API of Example: its objects in their documented shapes, with a route for each operation. */
export class FakeExample extends FakePsp {
  readonly accounts: object[] = [];

  constructor() {
    super({
      origins: [new URL(EXAMPLE_CONFIG.endpoint).origin],
      refuse: ({ headers }) =>
        headers.get("authorization") === `Bearer ${EXAMPLE_CONFIG.apiKey}`
          ? undefined
          : jsonAnswer({ message: "the key is not valid" }, 401),
    });
    this.route("GET", "/v1/accounts", ({ query }) => {
      const [number, size] = [Number(query.get("page")), Number(query.get("pageSize"))];
      return jsonAnswer(numberedPage(this.accounts, { number, size }));
    });
  }

  addAccounts(count: number): string[] {
    return Array.from({ length: count }, () => {
      const id = `account-${this.accounts.length + 1}`;
      this.accounts.push({ id, name: "An account", createdAt: "2026-01-01T00:00:00Z" });
      return id;
    });
  }
}
