import { describe, expect, test } from "vitest";
import {
  areAll,
  type Authority,
  canonical,
  commonAuthority,
  covers,
  endsWith,
  FULL_AUTHORITY,
  lacks,
  NO_AUTHORITY,
  refusalOf,
  scopesOfAuthority,
} from "#modules/auth/core/authority.ts";
import { keptRedirectUris } from "#modules/auth/core/redirect-uris.ts";

const of = (scopes: readonly string[], others: Partial<Authority> = {}): Authority => ({
  ...NO_AUTHORITY,
  scopes,
  ...others,
});
const bound = (...ledgers: readonly string[]) => of(["ledger:write"], { ledgers });

describe("an authority that covers another one", () => {
  test.each([
    ["the same scopes", of(["a:read"]), of(["a:read"])],
    ["fewer scopes", of(["a:read", "b:read"]), of(["b:read"])],
    ["reading what may be written", of(["a:write"]), of(["a:read"])],
    ["scopes of OpenID Connect", of([]), of(["openid", "email", "offline_access"])],
    ["everything, for an administrator", FULL_AUTHORITY, of(["a:write", "x"], { isTrusted: true })],
    ["all scopes", of([], { hasAll: true }), of([], { hasAll: true })],
    ["a ledger of its own", bound("eu", "us"), bound("us")],
    ["a ledger of its pattern", bound("eu-*"), bound("eu-1", "eu-*", "eu-a*")],
    ["bound ledgers, for who is bound to none", bound(), bound("eu")],
    ["all ledgers by name, for a star", bound("*"), bound("eu", "u*")],
  ])("an authority covers another one with %s", (_, holder, wanted) => {
    expect(lacks(holder, wanted)).toEqual([]);
    expect(covers(holder, wanted)).toBe(true);
  });

  test.each([
    ["another scope", of(["a:write"]), of(["b:read"]), ["b:read"]],
    ["writing what may be read", of(["a:read"]), of(["a:write"]), ["a:write"]],
    ["a scope of another server", of(["a:write"]), of(["x"]), ["x"]],
    [
      "the scopes of later releases",
      of(["a:write"]),
      of(["a:write"], { hasAll: true }),
      ["all scopes that a release adds"],
    ],
    ["trust", of([]), of([], { isTrusted: true }), ["trust in the tokens of others"]],
    ["all ledgers, for who is bound", bound("*"), bound(), ["all ledgers"]],
    ["another ledger", bound("eu"), bound("eu", "us"), ["ledgers eu, us"]],
    ["a pattern, for a name", bound("eu"), bound("eu*"), ["ledgers eu*"]],
    ["a wider pattern", bound("eu-*"), bound("eu*"), ["ledgers eu*"]],
    // Two patterns may cover a third one together, but the check compares pairs of patterns only.
    ["what only several patterns cover", bound("eu-1*", "eu-2*"), bound("eu-*"), ["ledgers eu-*"]],
    [
      "anything, for an administrator who is bound",
      of(["a:write"], { hasAll: true, ledgers: ["eu"] }),
      of(["a:write"]),
      ["all ledgers"],
    ],
  ])("an authority does not cover another one with %s", (...row) => {
    const [, holder, wanted, lacking] = row;
    expect(lacks(holder, wanted)).toEqual(lacking);
    expect(covers(holder, wanted)).toBe(false);
  });
});

describe("a change is refused", () => {
  const actor = of(["auth:write"]);
  const big = of(["ledger:write"]);
  const name = "the client 'shop'";

  test.each([
    ["for what the target would get", { next: big, past: [] }, /may not give.*: ledger:write$/],
    ["for what it has now", { now: big, past: [] }, /'shop' may do more than you.*: ledger:write$/],
    [
      "for what it had lately",
      { now: of([]), past: [big, big] },
      /until recently.*: ledger:write$/,
    ],
  ])("a change is refused %s", (_, touched, refusal) => {
    expect(refusalOf(actor, { name, ...touched })).toMatch(refusal);
  });

  test("a change is refused to nobody who covers all three", () => {
    const touched = { name, now: big, next: big, past: [big, of(["auth:read"])] };
    expect(refusalOf(of(["auth:write", "ledger:write"]), touched)).toBeUndefined();
    expect(refusalOf(FULL_AUTHORITY, touched)).toBeUndefined();
  });
});

test("two authorities together allow what both do", () => {
  expect(commonAuthority(of(["a:write", "b:read"]), of(["a:read", "b:write"])).scopes).toEqual([
    "b:read",
    "a:read",
  ]);
  expect(commonAuthority(bound("eu-*"), bound("eu-1", "us")).ledgers).toEqual(["eu-1"]);
  expect(commonAuthority(bound("eu"), bound("us"))).toEqual(NO_AUTHORITY);
  expect(commonAuthority(FULL_AUTHORITY, of(["a:write"])).scopes).toEqual(["a:write"]);
});

test("a holder of all scopes has those that a release adds, and no other holder has", () => {
  const before = ["a:read", "a:write"];
  const after = [...before, "b:read", "b:write"];
  const everything = { scopes: before, hasAll: areAll(["a:write"], before) };
  expect(scopesOfAuthority(everything, after)).toEqual(after);
  const some = { scopes: ["a:read"], hasAll: areAll(["a:read"], before) };
  expect(scopesOfAuthority(some, after)).toEqual(["a:read"]);
});

test("authorities are compared whatever the order of their parts", () => {
  const one = of(["b", "a", "a"], { ledgers: ["y", "x"] });
  expect(canonical(one)).toEqual(canonical(of(["a", "b"], { ledgers: ["x", "y", "y"] })));
});

describe("a credential", () => {
  const weak = of(["auth:write"]);
  const strong = of(["auth:write", "ledger:write"]);

  test.each([
    ["ends when its holder gets what its maker could not give", of([]), strong, weak, true],
    ["stays when its maker could have given it", of([]), strong, strong, false],
    ["stays when its holder gets nothing more", strong, of([]), weak, false],
    ["stays when nothing changes", strong, strong, weak, false],
    ["ends when another scope takes the place of one", of(["a:read"]), of(["b:read"]), weak, true],
    ["ends when a binding ends", bound("eu"), bound(), bound("eu"), true],
  ])("a credential %s", (...row) => {
    const [, now, next, maker, isEnded] = row;
    expect(endsWith({ now, next }, maker)).toBe(isEnded);
  });

  test("a credential that is a redirect URI ends with its maker, and stays whose it is, whoever writes it back", () => {
    const known = new Map([
      ["good", strong],
      ["evil", weak],
    ]);
    const wanted = ["good", "evil", "new"];
    const wider = { known, wanted, actor: FULL_AUTHORITY, now: of([]), next: strong };
    expect(keptRedirectUris(wider)).toEqual({
      kept: new Map([
        ["good", strong],
        ["new", FULL_AUTHORITY],
      ]),
      ended: ["evil"],
    });
    const same = { known, wanted, actor: weak, now: of([]), next: of([]) };
    expect(keptRedirectUris(same)).toEqual({
      kept: new Map([
        ["good", strong],
        ["evil", weak],
        ["new", weak],
      ]),
      ended: [],
    });
  });
});
