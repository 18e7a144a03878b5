import type { OtherEmbedding } from "../app/answers.ts"
import { percent } from "./numbers.ts"

/** The space beside the built-in one in a line. */
export function otherText({ provider, model, dimensions, share, serves }: OtherEmbedding): string {
  const use = serves ? "" : "; the built-in vectors serve meanwhile"
  return `${provider} ${model}, ${dimensions} dimensions, ${percent(share)} of the chunks${use}`
}
