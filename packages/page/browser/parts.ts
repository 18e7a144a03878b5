import { html } from "htm/preact"
import { useEffect, useState } from "preact/hooks"
import { ApiError } from "./api.ts"

/** A path in which the file name is emphasised. */
export function Path({ path }: { path: string }) {
  const cut = path.lastIndexOf("/") + 1
  return html`<span class="path"><span class="folder">${path.slice(0, cut)}</span>${path.slice(cut)}</span>`
}

/** The message of an error and its hint. */
export function Failure({ error }: { error: unknown }) {
  const hint = error instanceof ApiError ? error.hint : undefined
  const message = error instanceof Error ? error.message : String(error)
  return html`<p class="failure" role="alert">${message}${hint && html`<br /><span>${hint}</span>`}</p>`
}

export function Notices({ notices }: { notices: readonly string[] }) {
  if (notices.length === 0) return null
  return html`<ul class="notices">${notices.map((each) => html`<li>${each}</li>`)}</ul>`
}

type LoadState<T> = { readonly data: T | null; readonly error: unknown; readonly isLoading: boolean }

/**
 * Loads data when the component appears and again whenever a dependency changes; the answer of an older request never
 * replaces that of a newer one.
 */
export function useLoaded<T>(load: (abort: AbortSignal) => Promise<T>, on: readonly unknown[], delayMs = 0) {
  const [state, set] = useState<LoadState<T>>({ data: null, error: null, isLoading: true })
  useEffect(() => {
    const abort = new AbortController()
    set((old) => ({ ...old, isLoading: true }))
    const timer = setTimeout(() => {
      load(abort.signal).then(
        (data) => abort.signal.aborted || set({ data, error: null, isLoading: false }),
        (error: unknown) => abort.signal.aborted || set({ data: null, error, isLoading: false }),
      )
    }, delayMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, on)
  return state
}

/** Calls `act` when the key is pressed outside of fields, without a modifier. */
export function useKey(wanted: string, act: () => void): void {
  useEffect(() => {
    const press = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (key === wanted && !isTyping(target) && !(ctrlKey || metaKey || altKey)) act()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  })
}

/** True for an element in which one types or chooses. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
}

export function number(count: number): string {
  return count.toLocaleString("en")
}

/** A number with the singular or the plural: "1 file", "2 files". */
export function plural(count: number, one: string, several = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : several}`
}
/** A number of bytes for people. */
export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"]
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3))
  const value = count / 1000 ** power
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`
}
