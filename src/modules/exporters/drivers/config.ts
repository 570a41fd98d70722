/** The config of an exporter: a JSON object, which the client gets back as it was sent, but for secrets. */
export type ExporterConfig = Readonly<Record<string, unknown>>;

/** A config is wrong. The kind `malformed` means that its shape is not the one that the driver reads. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly kind: "invalid" | "malformed";
  /** Path of the field, such as `batching.maxItems`; empty for the whole config. */
  readonly field: string;

  constructor(field: string, message: string, kind: "invalid" | "malformed" = "invalid") {
    super(message);
    this.field = field;
    this.kind = kind;
  }
}
