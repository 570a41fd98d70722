import { quotedWide, readable } from "./literals.ts";
import type { GoCall, SdkCall } from "./sdk-call.ts";
import type { WireRequest } from "#console/api/client.ts";
import { stringifyJson } from "#platform/json.ts";

/** A request in Go: a call of the official SDK where it knows the operation, and HTTP otherwise. */
export const goCode = (request: WireRequest, origin: string, call: SdkCall | undefined): string =>
  call?.go === undefined ? goHttp(request, origin) : goSdk(call.go, origin, call.body?.value);

/** A program with the imports that its lines need. */
function program(imports: readonly string[], lines: readonly string[]): string {
  const own = imports.filter((path) => path.includes("."));
  const standard = imports.filter((path) => !path.includes(".")).toSorted();
  const groups = [standard, own].filter((group) => group.length > 0);
  const list = groups.map((group) => group.map((path) => `\t${nameOf(path)}"${path}"\n`).join(""));
  const body = lines.map((line) => `\t${line}\n`).join("");
  return `package main\n\nimport (\n${list.join("\n")})\n\nfunc main() {\n${body}}\n`;
}

const SDK = "github.com/formancehq/formance-sdk-go/v3";
const nameOf = (path: string): string => (path === SDK ? "formance " : "");

const FAIL = ["if err != nil {", "\tlog.Fatal(err)", "}"];

function goHttp({ method, url, body }: WireRequest, origin: string): string {
  const content = body === undefined ? "nil" : `strings.NewReader(${raw(readable(body))})`;
  return program(
    ["fmt", "io", "log", "net/http", "os", ...(body === undefined ? [] : ["strings"])],
    [
      `request, err := http.NewRequest(${quotedWide(method)}, ${quotedWide(origin + url)}, ${content})`,
      ...FAIL,
      `request.Header.Set("Authorization", "Bearer "+os.Getenv("FLORIN_TOKEN"))`,
      ...(body === undefined ? [] : [`request.Header.Set("Content-Type", "application/json")`]),
      "answer, err := http.DefaultClient.Do(request)",
      ...FAIL,
      "defer answer.Body.Close()",
      "text, err := io.ReadAll(answer.Body)",
      ...FAIL,
      "fmt.Println(answer.Status, string(text))",
    ],
  );
}

function goSdk({ method, request, fields, body }: GoCall, origin: string, sent: unknown): string {
  const filter = fields.find(({ type }) => type.startsWith("map["));
  const prepared = [
    ...(body === undefined ? [] : unmarshal("body", body.type.replace(/^\*/, ""), sent)),
    ...(filter === undefined ? [] : unmarshal("filter", filter.type, filter.value)),
  ];
  const value = body?.type.startsWith("*") === true ? "&body" : "body";
  const members = [
    ...fields.map((field) => [field.name, field === filter ? "filter" : goValue(field)] as const),
    ...(body === undefined ? [] : [[body.name, value] as const]),
  ];
  const struct = [
    `, operations.${request ?? ""}{`,
    ...members.map(([name, text]) => `\t${name}: ${text},`),
    "})",
  ];
  const [first = "", ...rest] = argumentsOf({
    isWhole: body?.name === "request",
    value,
    request,
    struct,
  });
  const call = `answer, err := client.${method}(context.Background()${first}`;
  const lines = [
    "client := formance.New(",
    `\tformance.WithServerURL(${quotedWide(origin)}),`,
    "\tformance.WithSecurity(shared.Security{",
    `\t\tClientID:     formance.Pointer(os.Getenv("FLORIN_CLIENT_ID")),`,
    `\t\tClientSecret: formance.Pointer(os.Getenv("FLORIN_CLIENT_SECRET")),`,
    "\t}),",
    ")",
    ...prepared,
    call,
    ...rest,
    ...FAIL,
    "fmt.Println(answer.StatusCode)",
  ];
  return program(importsOf(lines.join("\n")), lines);
}

function argumentsOf({
  isWhole,
  value,
  request,
  struct,
}: {
  readonly isWhole: boolean;
  readonly value: string;
  readonly request: string | undefined;
  readonly struct: readonly string[];
}): readonly string[] {
  if (isWhole) return [`, ${value})`];
  return request === undefined ? [")"] : struct;
}

const PACKAGES: readonly (readonly [use: string, path: string])[] = [
  ["context.", "context"],
  ["json.", "encoding/json"],
  ["fmt.", "fmt"],
  ["log.", "log"],
  ["os.", "os"],
  ["formance.", SDK],
  ["operations.", `${SDK}/pkg/models/operations`],
  ["shared.", `${SDK}/pkg/models/shared`],
  ["types.", `${SDK}/pkg/types`],
];

function importsOf(code: string): string[] {
  const outside = code.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, "");
  return PACKAGES.filter(([use]) =>
    new RegExp(`\\b${use.replace(".", String.raw`\.`)}`).test(outside),
  ).map(([, name]) => name);
}

/** Lines that read a value from JSON, which keeps integers of any size. */
const unmarshal = (name: string, type: string, value: unknown): string[] => [
  `var ${name} ${/^[A-Z]/.test(type) ? `operations.${type}` : type}`,
  `if err := json.Unmarshal([]byte(${raw(readable(stringifyJson(value)))}), &${name}); err != nil {`,
  "\tlog.Fatal(err)",
  "}",
];

/** A JSON text as a raw literal: JSON can write a backtick as an escape. */
const raw = (json: string): string => `\`${json.replaceAll("`", String.raw`\u0060`)}\``;

function goValue({ type, value }: GoCall["fields"][number]): string {
  const text = String(value);
  switch (type) {
    case "string":
      return quotedWide(text);
    case "int64":
      return text;
    case "*string":
      return `formance.Pointer(${quotedWide(text)})`;
    case "*bool":
      return `formance.Pointer(${text})`;
    case "*int64":
      return `formance.Pointer(int64(${text}))`;
    case "*big.Int":
      return `types.MustNewBigIntFromString(${quotedWide(text)})`;
    case "*time.Time":
      return `types.MustNewTimeFromString(${quotedWide(text)})`;
    default:
      return `operations.${type.replace("*", "")}(${quotedWide(text)}).ToPointer()`;
  }
}
