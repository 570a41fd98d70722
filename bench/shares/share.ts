/** How much of what the platform alone can do is reached. */
export interface Share {
  readonly name: string;
  readonly clients: number;
  readonly perSecond: number;
  readonly ceilingPerSecond: number;
  readonly share: number;
  readonly target: number;
}
