/** The path of the console, below which all its pages are. */
export const CONSOLE_PATH = "/console";

/** The paths below it at which a sign-in ends, and at which a link signs in. Both are pages without a frame. */
export const CALLBACK_PATH = "/callback";
export const SIGN_IN_PATH = "/sign-in";
