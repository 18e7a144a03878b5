import { html } from "htm/preact"
import { useEffect, useState } from "preact/hooks"
import { fetchJson } from "./api.ts"
import { useLoaded } from "./parts.ts"

type Props = {
  readonly of: "symbol" | "path"
  readonly name: string
  readonly value: string
  readonly placeholder: string
  readonly onInput?: (value: string) => void
}

const PAUSE_MS = 100

/** A text field that suggests symbols or paths of the project that begin with the typed text. */
export function Complete({ of, name, value, placeholder, onInput }: Props) {
  const [text, setText] = useState(value)
  const [typed, type] = useState("")
  useEffect(() => setText(value), [value])
  const { data } = useLoaded(
    async (abort) =>
      typed === "" ? null : fetchJson<{ values: string[] }>("complete", { of, typed }, abort),
    [typed],
    PAUSE_MS,
  )
  const input = (event: Event) => {
    const given = (event.target as HTMLInputElement).value
    setText(given)
    type(given)
    onInput?.(given)
  }
  return html`<input name=${name} list=${`${name}-values`} value=${text} placeholder=${placeholder} spellcheck=${false} autocomplete="off" onInput=${input} />
    <datalist id=${`${name}-values`}>${data?.values.map((each) => html`<option value=${each} />`)}</datalist>`
}
