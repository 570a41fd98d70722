import { expect, test } from "vitest";
import { PlainName } from "#platform/backup/saving/manifest.ts";

test.each(["audit", "webhook_owed", "d1_migrations", "EndpointObject"])(
  "%s can be the name of a saved file",
  (name) => {
    expect(PlainName.safeParse(name).success).toBe(true);
  },
);

test.each(["", "..", "../audit", "a/b", "a\\b", "/etc/passwd", "a.b", "a\u0000"])(
  "a server cannot lead out of the folder by the name %j",
  (name) => {
    expect(PlainName.safeParse(name).success).toBe(false);
  },
);
