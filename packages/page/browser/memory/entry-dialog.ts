import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { EntryOutput } from "../../../../src/memory/index.ts"
import { runAction } from "../api.ts"
import { Failure } from "../parts.ts"

/** An entry of the memory; of a found one also the newer entry that seems to contradict it. */
export type MemoryEntry = EntryOutput & {
  readonly outdated_by?: string | null
  readonly perhaps_replaces?: readonly string[]
}

type Action =
  | ("revise" | "fix" | "wrong" | "invalidate" | "keep" | "restore")
  | ("delete" | "purge" | "merge-entries" | "relate")

/** A change of an entry that the page asks the user to confirm. */
export type Change = {
  readonly action: Action
  readonly entry: MemoryEntry
  /** The second entry of a merge, or the entry that supersedes this one. */
  readonly other?: MemoryEntry
}

type Field = {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly isLong?: boolean
}

type ActionForm = {
  readonly title: string
  /** What the action does, in one sentence. */
  readonly does: string
  readonly fields: readonly Field[]
  /** The arguments of the action, from the values of the fields. */
  readonly request: (values: Readonly<Record<string, string>>) => object
}

const REASON: Field = { name: "reason", label: "Why (optional)" }

function actionForm({ action, entry, other }: Change): ActionForm {
  const { id, text, entities } = entry
  switch (action) {
    case "revise":
      return {
        title: "Revise",
        does: "The earlier text stays in the history.",
        fields: [{ name: "text", label: "Text", value: text, isLong: true }, REASON],
        request: (values) => ({ id, ...values }),
      }
    case "fix":
      return {
        title: "Fix",
        does: "An entry with this text replaces this one.",
        fields: [{ name: "text", label: "Text", value: text, isLong: true }],
        request: (values) => ({ id, ...values }),
      }
    case "wrong":
      return {
        title: "Wrong",
        does: "The entry was never true: its history keeps it, and it is not found again.",
        fields: [REASON],
        request: (values) => ({ id, ...values }),
      }
    case "invalidate":
      return {
        title: "No longer valid",
        does: "The entry stays, marked as ended. With a successor it counts as superseded.",
        fields: [
          REASON,
          {
            name: "successor",
            label: "Id or key of the entry that replaces it (optional)",
            value: other?.id ?? "",
          },
        ],
        request: (values) => ({ id, ...values }),
      }
    case "keep":
      return {
        title: "Both hold",
        does: "Neither entry is marked as replaced by the other.",
        fields: [],
        request: () => ({ ids: [id, other!.id] }),
      }
    case "restore":
      return { title: "Restore", does: "The entry counts again.", fields: [], request: () => ({ ids: [id] }) }
    case "delete":
      return {
        title: "Delete",
        does: "The entry is hidden; restore brings it back.",
        fields: [REASON],
        request: (values) => ({ ids: [id], ...values }),
      }
    case "merge-entries":
      return {
        title: "Merge",
        does: "Both entries are superseded by one with this text.",
        fields: [
          { name: "other", label: "Id or key of the other entry", value: other?.id ?? "" },
          {
            name: "text",
            label: "Text of the merged entry",
            value: other === undefined ? text : `${text}\n\n${other.text}`,
            isLong: true,
          },
        ],
        request: ({ other: second = "", ...values }) => ({ ids: [id, second], ...values }),
      }
    case "relate":
      return {
        title: "Link",
        does: "Adds a relation between two entities.",
        fields: [
          { name: "from", label: "From", value: entities[0] ?? "" },
          { name: "type", label: "Relation", value: "uses" },
          { name: "to", label: "To", value: entities[1] ?? "" },
        ],
        request: (values) => values,
      }
    case "purge":
      return {
        title: "Purge",
        does: "Erases the entry and its history from the disk. This cannot be undone.",
        fields: [{ name: "confirmation", label: 'Type "purge" to confirm' }],
        request: ({ confirmation }) => ({ ids: [id], confirmed: confirmation === "purge" }),
      }
  }
}

/** Asks the user for the fields of a change, makes it, and shows the reason if it is refused. */
export function ChangeDialog({
  change,
  onClose,
  onDone,
}: {
  change: Change
  onClose: () => void
  onDone: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { title, does, fields, request } = actionForm(change)
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(fields.map(({ name, value = "" }) => [name, value])),
  )
  const [error, setError] = useState<unknown>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""))
    runAction({ action: change.action, ...request(given) }).then(onDone, setError)
  }
  return html`<dialog ref=${dialog} onClose=${onClose} aria-label=${title}><form onSubmit=${submit}>
    <h2>${title}</h2><p class="does">${does}</p>
    ${fields.map(({ name, label, isLong }) => {
      const onInput = (event: Event) =>
        setValues({ ...values, [name]: (event.target as HTMLInputElement).value })
      return html`<label class="field">${label} ${
        isLong === true
          ? html`<textarea name=${name} rows="6" value=${values[name]} onInput=${onInput}></textarea>`
          : html`<input name=${name} value=${values[name]} onInput=${onInput} />`
      }</label>`
    })}
    ${error !== null && html`<${Failure} error=${error} />`}
    <p class="chips"><button class="primary">${title}</button><button type="button" onClick=${onClose}>Cancel</button></p>
  </form></dialog>`
}
