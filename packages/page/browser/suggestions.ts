import { html } from "htm/preact"
import { fetchJson, isOfTeam } from "./api.ts"
import { useLoaded } from "./parts.ts"

const OPERATORS = ["lang:", "file:", "sym:", "kind:"] as const
const PAUSE_MS = 100

type Props = {
  readonly id: string
  readonly query: string
  readonly languages: readonly string[]
  readonly kinds: readonly string[]
}

/**
 * Suggested queries that complete the last word of the typed query if it is an operator or the value of an operator.
 */
export function Suggestions({ id, query, languages, kinds }: Props) {
  const [, before = "", word = ""] = /^(.*?)(\S*)$/s.exec(query) ?? []
  const { data } = useLoaded(() => values(word, { languages, kinds }), [word], PAUSE_MS)
  return html`<datalist id=${id}>${data?.map((each) => html`<option key=${each} value=${`${before}${each}`} />`)}</datalist>`
}

async function values(
  word: string,
  { languages, kinds }: Pick<Props, "languages" | "kinds">,
): Promise<readonly string[]> {
  if (word === "") return []
  const operator = OPERATORS.find((each) => word.startsWith(each))
  if (operator === undefined) return OPERATORS.filter((each) => each.startsWith(word))
  const typed = word.slice(operator.length)
  // A team's node completes neither paths nor symbols.
  const known = operator === "lang:" ? languages : operator === "kind:" ? kinds : isOfTeam ? [] : null
  const found =
    known === null
      ? (
          await fetchJson<{ values: string[] }>("complete", {
            of: operator === "sym:" ? "symbol" : "path",
            typed,
          })
        ).values
      : known.filter((each) => each.startsWith(typed))
  return found.slice(0, 20).map((each) => `${operator}${/\s/.test(each) ? `"${each}"` : each}`)
}
