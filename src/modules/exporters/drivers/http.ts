import { BATCHING, readBatching } from "./batching.ts";
import { ConfigError } from "./config.ts";
import { assertCallable, callDestination, type Driver, problemOf } from "./driver.ts";
import { assertKnown, textField } from "./fields.ts";
import { withLedger } from "./log-page.ts";
import { replaceUrlSecrets, urlSecretsOf } from "./url-secrets.ts";
import { originOf } from "#platform/secrets/url-secrets.ts";

/**
 * Posts each batch to a URL as a JSON array of log entries, each with the name of its ledger. An answer of 200 to 299
 * accepts the batch.
 */
export const httpDriver: Driver = {
  name: "http",
  open(config, context) {
    const url = textField(config, "url") ?? "";
    if (url === "") throw new ConfigError("url", "empty url");
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(url)) {
      throw new ConfigError("url", "invalid url, host, must be defined");
    }
    assertCallable("url", url, context);
    const batching = readBatching(config);
    assertKnown(config, ["url", BATCHING]);
    const secrets = urlSecretsOf(config, "url");
    return {
      batching,
      async send(ledger, entries) {
        const body = `[${entries.map((entry) => withLedger(entry, ledger)).join(",")}]\n`;
        const headers = { "content-type": "application/json" };
        return problemOf(await callDestination({ url, headers, body }, context), secrets);
      },
    };
  },
  secrets: {
    replace: (config, replace) => replaceUrlSecrets(config, "url", replace),
    secretHost: ({ url }) => originOf(url),
  },
};
