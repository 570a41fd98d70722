import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inProject } from "#scripts/lib/project.ts";
import { withoutComments } from "#test/support/source/without-comments.ts";

/**
 * Everything by which something can leave the deployment, and the files that use it, once for each use. A new use has to wait while the
 * deployment is disarmed: it passes a gate to `callOutbound` (`outboundGate` of `platform/arming/held-work.ts`), and what calls it treats
 * `isHeld` errors as calls that were not attempted. docs/operations/disarmed.md names what goes on all the same.
 */
const WAYS_OUT: readonly (readonly [what: string, uses: RegExp, files: readonly string[]])[] = [
  [
    "the one function of outgoing calls",
    /\bcallOutbound\(/g,
    [
      "modules/auth/upstream/provider.ts",
      "modules/auth/verification/trusted-issuer.ts",
      "modules/exporters/drivers/driver.ts",
      "modules/orchestration/triggers/link-reader.ts",
      "modules/payments/connectors/kit/http.ts",
      "modules/webhooks/calls/call.ts",
      "platform/http/outbound.ts",
    ],
  ],
  [
    "the gate that is always open: signing in, and links to the own API, which do not leave the process",
    /\bOPEN_GATE\b/g,
    [
      "modules/auth/upstream/provider.ts",
      "modules/auth/verification/trusted-issuer.ts",
      "modules/orchestration/triggers/link-reader.ts",
      "platform/http/outbound.ts",
      "modules/auth/upstream/provider.ts",
      "modules/auth/verification/trusted-issuer.ts",
      "modules/orchestration/triggers/link-reader.ts",
    ],
  ],
  [
    // Passwords are hashed behind a binding of `npm start`, on the same machine.
    "the network that `callOutbound` gets, and the hasher of passwords",
    /\b(?:systemFetch|boundFetch)\(/g,
    [
      "modules/auth/hashing/password-hash-object.ts",
      "modules/auth/hashing/password-hasher.ts",
      "modules/auth/upstream/provider.ts",
      "modules/auth/verification/verifier.ts",
      "modules/exporters/drivers/driver.ts",
      "modules/orchestration/triggers/link-reader.ts",
      "modules/payments/installs/plugin.ts",
      "modules/webhooks/calls/call.ts",
      "platform/http/outbound.ts",
      "modules/payments/installs/plugin.ts",
      "platform/http/outbound.ts",
    ],
  ],
  [
    // Plugins of connectors and `platform/http/outbound.ts` call a parameter of this name; scripts of pages run in browsers.
    "a function named fetch that is no member",
    /(?<![.\w#])fetch\(/g,
    [
      "modules/auth/pages/passkey-script.ts",
      "modules/payments/connectors/dummypay/url-source.ts",
      "modules/payments/connectors/generic/movements.ts",
      "modules/payments/connectors/generic/pages.ts",
      "modules/payments/connectors/kit/open-movements.ts",
      "modules/ledger/objects/ledger-object.ts",
      "platform/http/outbound.ts",
      "modules/payments/connectors/generic/movements.ts",
      "modules/payments/connectors/generic/pages.ts",
      "platform/http/outbound.ts",
    ],
  ],
  [
    "the runtime's sockets and mail, and sockets of Node",
    /cloudflare:(?:sockets|email)|\bconnect\(\s*\{|\bnew (?:WebSocket|EventSource|XMLHttpRequest)\(|\b(?:from|import\()\s*"(?:node:)?(?:net|tls|dgram|https?|http2|dns)\b/g,
    [],
  ],
  [
    // The own application and its files, a ledger's object, and functions of plugins that fetch by the network that they are given.
    "a call of a member named fetch",
    /\.fetch\(/g,
    [
      "app.ts",
      "modules/ledger/live/feed-connection.ts",
      "modules/payments/connectors/modulr/payments.ts",
      "modules/payments/connectors/moneycorp/payments.ts",
      "modules/payments/polling/fetch-page.ts",
      "platform/http/outbound.ts",
      "platform/modules/site.ts",
      "platform/modules/site.ts",
    ],
  ],
  [
    // Clients of providers keep the network that they are given.
    "the function of the runtime under another name",
    /\b(?:globalThis|self)\.fetch\b|=\s*fetch;/g,
    [
      "modules/payments/connectors/kit/client.ts",
      "modules/payments/connectors/kit/token-client.ts",
      "modules/payments/connectors/plaid/client.ts",
      "modules/payments/connectors/powens/client.ts",
      "modules/payments/polling/fetch-page.ts",
    ],
  ],
  [
    "a gate of one's own",
    /\bgate: (?!outboundGate\(|OPEN_GATE|OutboundGate)|\bgate = /g,
    [
      "modules/exporters/delivery/pipeline-object.ts",
      "modules/payments/connectors/kit/http.ts",
      "modules/payments/connectors/kit/http.ts",
    ],
  ],
  [
    "bindings of exporters, which `Delivery` sends to behind a gate of its own",
    /\bEXPORT_BINDING_PREFIX\b/g,
    [
      "modules/exporters/drivers/bindings.ts",
      "modules/exporters/drivers/bindings.ts",
      "modules/exporters/drivers/bindings.ts",
    ],
  ],
];

const sources = readdirSync(inProject("src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("console/") && !file.endsWith(".d.ts"))
  .map((file) => ({
    file,
    text: withoutComments(readFileSync(join(inProject("src"), file), "utf8")),
  }));

describe("what can leave the deployment", () => {
  test.each(WAYS_OUT)(
    "what can leave the deployment is known, so that it waits while the deployment is disarmed: %s",
    (_what, uses, files) => {
      const found = sources.flatMap(({ file, text }) =>
        Array.from(text.matchAll(uses), () => file),
      );
      expect(found.toSorted()).toEqual([...files].toSorted());
    },
  );
});

/** Objects whose alarms begin no call of another server: they keep books, events and limits. */
const CALL_NOBODY = [
  "backup-object.ts", // it writes into the deployment's own bucket, and the sweep that wakes it waits
  "clock-object.ts", // each sweep says for itself whether it waits
  "modules/auth/limits/attempt-limit-object.ts",
  "modules/auth/quotas/quota-object.ts",
  "modules/events/event-stream-object.ts",
  "modules/ledger/objects/ledger-object.ts",
  "modules/orchestration/triggers/lane/lane-object.ts", // it stores occurrences, which are fired when the deployment is armed
  "modules/reconciliation/matchings/object/matching-object.ts",
  "modules/reconciliation/statements/source-object.ts",
  "modules/search/shards/shard-object.ts",
];

test("the alarm of every object that calls other servers waits while the deployment is disarmed", () => {
  const alarms = sources.filter(({ text }) => /override (?:async )?alarm\(/.test(text));
  const others = alarms.filter(
    ({ text }) => !/await (?:waitsForArming\(|arming\.mayCall\(\))/u.test(text),
  );
  expect(others.map(({ file }) => file).toSorted()).toEqual(CALL_NOBODY);
});

test("the comments of a file are no code, and what looks like one in a text, a template or a pattern is", () => {
  const source = [
    "const a = '/*'; // fetch(1)",
    'const b = "//"; /* fetch(2) */ call();',
    "const c = `//${d ? `${{ e: 1 }} /*` : f /* fetch(3) */} //`;",
    "const g = /[/*]\\/*'/; h();",
    "const i = 8 / 2 / 1; // '",
  ].join("\n");
  expect(withoutComments(source).split("\n")).toEqual([
    "const a = '/*'; ",
    'const b = "//";  call();',
    "const c = `//${d ? `${{ e: 1 }} /*` : f } //`;",
    "const g = /[/*]\\/*'/; h();",
    "const i = 8 / 2 / 1; ",
  ]);
});
