/** A field of a connector's configuration. */
export interface ConfigField {
  /** Its canonical name: `apiKey`. Requests may write it in any case. */
  readonly name: string;
  /** What errors call it: `APIKey`. */
  readonly label: string;
  readonly type: "string" | "unsigned integer" | "boolean";
  readonly isRequired: boolean;
  /** Whether answers and logs must not show it in clear, where something else than the configuration is shown. */
  readonly isSecret?: boolean;
  /** A further check, by the name of its rule: `dirpath`. */
  readonly rule?: { readonly name: string; readonly holds: (value: string) => boolean };
}
