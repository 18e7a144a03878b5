// scripts/compile.ts replaces both names by literals when it builds the binary.
declare const AMAN_VERSION: string | undefined
declare const AMAN_COMMIT: string | undefined

/** "0.1.0" in a build, "0.0.0-dev" when run from source. */
export const version: string = typeof AMAN_VERSION === "string" ? AMAN_VERSION : "0.0.0-dev"

/** Short commit hash of a build, "unknown" when run from source. */
export const commit: string = typeof AMAN_COMMIT === "string" ? AMAN_COMMIT : "unknown"
