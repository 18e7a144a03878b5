import text from "../../THIRD_PARTY_NOTICES" with { type: "text" }

/** Of everything that others made and is inside the binary. */
export const notices: string = text
