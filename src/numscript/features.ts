/** Features of the interpreter's language that the server or the script itself must enable. */
export const FEATURES = {
  overdraftFunction: "experimental-overdraft-function",
  getAssetFunction: "experimental-get-asset-function",
  getAmountFunction: "experimental-get-amount-function",
  oneOf: "experimental-oneof",
  accountInterpolation: "experimental-account-interpolation",
  midScriptCall: "experimental-mid-script-function-call",
  assetColors: "experimental-asset-colors",
  assetScaling: "experimental-asset-scaling",
} as const;
export type FeatureFlag = (typeof FEATURES)[keyof typeof FEATURES];

const NAMES: ReadonlySet<string> = new Set(Object.values(FEATURES));

export const isFeature = (name: string): boolean => NAMES.has(name);
