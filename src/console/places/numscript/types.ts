export type Values = Readonly<Record<string, string>>;

/** A template of a ledger's schema, from which a script was taken. */
export interface TemplateOrigin {
  readonly name: string;
  readonly version: string;
  /** The script of the template. A changed script is no run of the template. */
  readonly script: string;
}

/** What the person works on. */
export interface Work {
  readonly ledger: string;
  readonly script: string;
  /** What the person has typed for each variable, by its name. */
  readonly values: Values;
  readonly template?: TemplateOrigin | undefined;
}
