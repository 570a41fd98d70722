/** The share of the platform's ceiling that the product reaches. */
export interface Share {
  readonly name: string;
  readonly clients: number;
  readonly perSecond: number;
  readonly ceilingPerSecond: number;
  readonly share: number;
  readonly target: number;
}
