import type { V2PostTransaction, V2Transaction } from "@formance/formance-sdk/sdk/models/ledger";
import { beforeEach, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import {
  freshLedger,
  inLedger,
  okBodyOf,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

const { v2 } = sdk().ledger;
const RUNTIMES = ["machine", "experimental-interpreter"] as const;
type Runtime = (typeof RUNTIMES)[number];

let ledger: string;
beforeEach(async () => {
  ledger = await freshLedger();
});

type Fields = Partial<Omit<V2PostTransaction, "script" | "runtime">> & {
  vars?: Record<string, string>;
};

async function run(plain: string, runtime: Runtime, fields: Fields = {}): Promise<V2Transaction> {
  const { vars, ...rest } = fields;
  const answer = await v2.createTransaction({
    ledger,
    v2PostTransaction: {
      metadata: {},
      ...rest,
      runtime,
      script: { plain, ...(vars === undefined ? {} : { vars }) },
    },
  });
  return present(answer.v2CreateTransactionResponse, "a success has a body").data;
}

const waysOf = ({ postings }: V2Transaction): string[] =>
  postings.map(
    ({ source, destination, asset, amount }) => `${source}>${destination} ${asset} ${amount}`,
  );

/** The error code with which a call of the SDK fails. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // The class is not compared: the SDK's modules exist twice here, in two formats.
  expect(error).toMatchObject({ name: "ErrorsV2ErrorResponse" });
  return (error as { errorCode: string }).errorCode; // errors of this name have a code
}

const FUND = "send [USD/2 100] (\n  source = @world\n  destination = @users:1\n)";

describe.each(RUNTIMES)("a script for %s", (runtime) => {
  test("a script in either runtime moves money by its variables, and answers postings with volumes", async () => {
    const script = `vars {
  account $seller
  monetary $price
  portion $fee
  string $order
}
send $price (
  source = @world
  destination = {
    $fee to @platform:fees
    2% to @referrers:7
    remaining to $seller
  }
)
set_tx_meta("order", $order)
set_tx_meta("price", $price)
set_account_meta($seller, "last", $order)
`;
    const transaction = await run(script, runtime, {
      vars: {
        seller: "sellers:9",
        price: "EUR/2 9007199254740991",
        fee: "12.5%",
        order: "o-17",
      },
      metadata: { channel: "web" },
      accountMetadata: { "sellers:9": { tier: "gold" }, newcomer: { k: "v" } },
      reference: "o-17",
    });
    // Shares are rounded down, and the two missing units go to the first ones.
    expect(waysOf(transaction)).toEqual([
      "world>platform:fees EUR/2 1125899906842624",
      "world>referrers:7 EUR/2 180143985094820",
      "world>sellers:9 EUR/2 7701155362803547",
    ]);
    expect(transaction.metadata).toEqual({
      order: "o-17",
      price: "EUR/2 9007199254740991",
      channel: "web",
    });
    expect(transaction.reference).toBe("o-17");
    expect(transaction.postCommitVolumes?.["sellers:9"]?.["EUR/2"]?.balance).toBe(
      7701155362803547n,
    );
    const { v2AccountResponse } = await v2.getAccount({ ledger, address: "sellers:9" });
    expect(v2AccountResponse?.data.metadata).toEqual({ last: "o-17", tier: "gold" });
    const { v2AccountResponse: other } = await v2.getAccount({ ledger, address: "newcomer" });
    expect(other?.data.metadata).toEqual({ k: "v" });
  });

  test("a script in either runtime takes from several sources, an overdraft among them, and keeps what is left", async () => {
    await run(FUND, runtime);
    const script = `send [USD/2 180] (
  source = {
    @users:1
    @users:2 allowing overdraft up to [USD/2 50]
    @credit allowing unbounded overdraft
  }
  destination = {
    max [USD/2 120] to @shop
    max [USD/2 40] to @tax
    remaining kept
  }
)`;
    const transaction = await run(script, runtime);
    expect(waysOf(transaction)).toEqual([
      "users:1>shop USD/2 100",
      "users:2>shop USD/2 20",
      "users:2>tax USD/2 30",
      "credit>tax USD/2 10",
    ]);
    const again = run(
      "send [USD/2 1] (\n source = @users:2 allowing overdraft up to [USD/2 50]\n destination = @x\n)",
      runtime,
    );
    expect(await codeOf(again)).toBe("INSUFFICIENT_FUND");
  });

  test("a script in either runtime sees the balances and the metadata at the time of its run", async () => {
    await run(FUND, runtime, { accountMetadata: { "users:1": { payout: "bank:7" } } });
    const script = `vars {
  account $user
  account $bank = meta($user, "payout")
  monetary $all = balance($user, USD/2)
}
send $all (
  source = $user
  destination = $bank
)`;
    const first = await run(script, runtime, { vars: { user: "users:1" } });
    expect(waysOf(first)).toEqual(["users:1>bank:7 USD/2 100"]);
    await run(FUND.replace("100", "7"), runtime, {
      accountMetadata: { "users:1": { payout: "bank:8" } },
    });
    const second = await run(script, runtime, { vars: { user: "users:1" } });
    expect(waysOf(second)).toEqual(["users:1>bank:8 USD/2 7"]);
  });

  test.each([
    ["INSUFFICIENT_FUND", FUND.replace("@world", "@nobody"), {}],
    ["NO_POSTINGS", 'set_tx_meta("k", "v")', {}],
    ["METADATA_OVERRIDE", `${FUND}\nset_tx_meta("k", "v")`, { metadata: { k: "w" } }],
    ["CONFLICT", FUND, { reference: "used" }],
  ] as const)("a script ends in %s and leaves nothing", async (code, script, fields) => {
    await run(FUND, runtime, { reference: "used" });
    const before = await traceOf(ledger);
    expect(await codeOf(run(script, runtime, fields))).toBe(code);
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("a script in either runtime lets the request set a key that it sets to the empty text", async () => {
    const script = `${FUND}\nset_tx_meta("k", "")`;
    expect((await run(script, runtime, { metadata: { k: "v" } })).metadata).toEqual({ k: "v" });
    expect((await run(script, runtime)).metadata).toEqual({ k: "" });
  });

  test("a script in either runtime runs once for an idempotency key, and its variables are part of it", async () => {
    const request = (amount: string) => ({
      ledger,
      idempotencyKey: "key",
      v2PostTransaction: {
        metadata: {},
        runtime,
        script: {
          plain:
            "vars {\n  monetary $m\n}\nsend $m (\n  source = @world\n  destination = @users:1\n)",
          vars: { m: amount },
        },
      },
    });
    const first = await v2.createTransaction(request("USD 1"));
    const second = await v2.createTransaction(request("USD 1"));
    expect(second.v2CreateTransactionResponse).toEqual(first.v2CreateTransactionResponse);
    expect(second.headers["idempotency-hit"]).toEqual(["true"]);
    expect(await codeOf(v2.createTransaction(request("USD 2")))).toBe("VALIDATION");
  });
});

describe("a script that only one runtime refuses", () => {
  test.each([
    ["machine", "garbage", "COMPILATION_FAILED", {}],
    ["experimental-interpreter", "garbage", "INTERPRETER_PARSE", {}],
    ["machine", FUND.replace("@users:1", "$x"), "COMPILATION_FAILED", {}],
    ["experimental-interpreter", FUND.replace("@users:1", "$x"), "INTERPRETER_RUNTIME", {}],
    ["machine", `${FUND}\nfail`, "COMPILATION_FAILED", {}],
    ["machine", FUND, "COMPILATION_FAILED", { vars: { extra: "1" } }],
  ] as const)(
    "a script is refused by only one runtime, %s: %s",
    async (...[runtime, script, code, fields]) => {
      expect(await codeOf(run(script, runtime, fields))).toBe(code);
    },
  );

  test("the metadata of an unknown account is refused only by the machine, which reports it as not found", async () => {
    const script = `vars {\n  account $a = meta(@nobody, "k")\n}\n${FUND.replace("@users:1", "$a")}`;
    expect(await codeOf(run(script, "machine"))).toBe("NOT_FOUND");
    expect(await codeOf(run(script, "experimental-interpreter"))).toBe("INTERPRETER_RUNTIME");
  });
});

describe("an error of a script", () => {
  test("an error of a script shows the line with a caret, and the position in its details", async () => {
    const plain = FUND.replace("@users:1", "$nobody");
    const answer = await post(ledger, { script: { plain } });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      errorCode: "COMPILATION_FAILED",
      errorMessage:
        "[COMPILATION_FAILED] variable not declared\n3 |   destination = $nobody\n  |                 ^^^^^^^",
      details: "3:17-3:24 unbound-variable",
    });
  });

  test("an error of a script's variable names the variable", async () => {
    const plain = "vars {\n  monetary $m\n}\nsend $m (\n  source = @world\n  destination = @a\n)";
    const body = { script: { plain, vars: { m: { asset: "usd", amount: 1 } } } };
    const { code, message } = await refusalOf(post(ledger, body));
    expect(code).toBe("COMPILATION_FAILED");
    expect(message).toContain("invalid JSON value for variable $m of type monetary");
  });
});

test("a script moves and answers integers of any size", async () => {
  const plain =
    'vars {\n  monetary $m\n}\nsend $m (\n  source = @world\n  destination = {\n    1/3 to @a\n    remaining to @b\n  }\n)\nset_tx_meta("m", $m)';
  const vars = `{"m":{"asset":"EUR/2","amount":${10n ** 30n}}}`;
  const answer = await post(ledger, `{"script":{"plain":${JSON.stringify(plain)},"vars":${vars}}}`);
  const text = await answer.text();
  expect(text).toContain(`"destination":"a","amount":333333333333333333333333333334,`);
  expect(text).toContain(`"destination":"b","amount":666666666666666666666666666666,`);
  expect(text).toContain(`"metadata":{"m":"EUR/2 ${10n ** 30n}"}`);
});

describe("scripts in a bulk", () => {
  const script = (plain: string, fields: object = {}) => ({
    action: "CREATE_TRANSACTION",
    data: { script: { plain }, ...fields },
  });
  const spend = (amount: number) =>
    `send [USD/2 ${amount}] (\n  source = @users:1\n  destination = @shop\n)`;

  interface Answer {
    readonly data: { readonly responseType: string; readonly errorCode?: string }[];
  }

  test("scripts in a bulk see what the elements before them have done", async () => {
    const answer = await okBodyOf<Answer>(
      inLedger(ledger, "/_bulk", {
        method: "POST",
        body: [
          script(FUND),
          script(spend(60)),
          script(spend(40), { runtime: "experimental-interpreter" }),
        ],
      }),
    );
    expect(answer.data.map(({ responseType }) => responseType)).toEqual([
      "CREATE_TRANSACTION",
      "CREATE_TRANSACTION",
      "CREATE_TRANSACTION",
    ]);
  });

  test("scripts in a bulk fail alone, each with its code, or undo all of an atomic bulk", async () => {
    const elements = [
      script(FUND),
      script(spend(1000)),
      script("garbage"),
      script("garbage", { runtime: "experimental-interpreter" }),
      script('set_tx_meta("k", "v")'),
      { action: "CREATE_TRANSACTION", data: {} },
      { action: "CREATE_TRANSACTION", data: null },
      script(spend(100)),
    ];
    const send = (query: string) =>
      inLedger(ledger, `/_bulk${query}`, { method: "POST", body: elements });
    const atomic = await send("?atomic=true");
    expect(atomic.status).toBe(400);
    expect((await traceOf(ledger)).transactions).toBe(
      (await traceOf(await freshLedger())).transactions,
    );
    const single = await send("?continueOnFailure=true");
    const { data } = await single.json<Answer>();
    expect(data.map(({ errorCode, responseType }) => errorCode ?? responseType)).toEqual([
      "CREATE_TRANSACTION",
      "INSUFFICIENT_FUND",
      "COMPILATION_FAILED",
      "INTERPRETER_PARSE",
      "NO_POSTINGS",
      "COMPILATION_FAILED",
      "COMPILATION_FAILED",
      "CREATE_TRANSACTION",
    ]);
  });

  test("scripts in a bulk run through the SDK", async () => {
    const { v2BulkResponse } = await v2.createBulk({
      ledger,
      requestBody: [
        {
          action: "CREATE_TRANSACTION",
          data: { metadata: {}, script: { plain: FUND }, runtime: "experimental-interpreter" },
        },
      ],
    });
    expect(v2BulkResponse?.data?.[0]).toMatchObject({ responseType: "CREATE_TRANSACTION" });
  });
});

test("postings for the interpreter leave out amounts of zero", async () => {
  const posting = (amount: number) => ({
    source: "world",
    destination: "a",
    amount,
    asset: "USD",
  });
  const body = { runtime: "experimental-interpreter", postings: [posting(0), posting(1)] };
  const { data } = await okBodyOf<{ data: { postings: unknown[] } }>(post(ledger, body));
  expect(data.postings).toEqual([posting(1)]);
  const none = { runtime: "experimental-interpreter", postings: [posting(0)] };
  expect((await refusalOf(post(ledger, none))).code).toBe("NO_POSTINGS");
});
