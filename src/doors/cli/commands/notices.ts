import text from "../../../../THIRD_PARTY_NOTICES" with { type: "text" }

/** Licence notices of all third-party parts of the binary. */
export const notices: string = text
