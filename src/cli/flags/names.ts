import type { Flag } from "../command.ts"

/** Names that the code may use, beside a question. */
export const NAMES_FLAG: Flag = {
  name: "names",
  value: "NAMES",
  multiple: true,
  help: "Words and identifiers that the code may use, as good as you can guess; wrong ones cost little",
}
