/** A pair of texts that differ in more lines than this is shown as they are. */
const MOST_EDITS = 500
const CONTEXT_LINES = 2

/**
 * The lines of `before` that are not in `now` with "-", those that are new with "+", a few around them with " ";
 * between pieces that are apart "…". The difference is in what is kept of them: of long texts the beginning.
 */
export async function lineDiff(before: string, now: string): Promise<string> {
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", `${before}\n`, `${now}\n`, "", "", {
    context: CONTEXT_LINES,
    ignoreWhitespace: true,
    maxEditLength: MOST_EDITS,
  })
  if (patch === undefined) return [...signed("-", before), ...signed("+", now)].join("\n")
  return patch.hunks.map(({ lines }) => lines.join("\n")).join("\n…\n")
}

function signed(sign: string, text: string): string[] {
  return text.split("\n").map((line) => sign + line)
}
