import { html } from "htm/preact"
import { useEffect, useRef, useState } from "preact/hooks"

const ROW_PX = 60
/** Number of rows rendered above and below the visible ones. */
const SPARE = 8

type Props<T> = {
  readonly label: string
  readonly total: number
  /** The row, or undefined while it is not loaded. */
  readonly row: (nth: number) => T | undefined
  /** Called with the rows that are visible, so that missing ones can be loaded. */
  readonly onVisible: (first: number, last: number) => void
  readonly render: (row: T, nth: number) => unknown
}

/** A list of any length, of which only the visible rows exist in the page. */
export function VirtualList<T>({ label, total, row, onVisible, render }: Props<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 600))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE)
  const last = Math.min(total, Math.ceil((top + height) / ROW_PX) + SPARE)
  useEffect(() => onVisible(first, last), [first, last, total])
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, nth) => first + nth)
  return html`<div class="virtual" ref=${box} tabindex="0" style=${{ maxHeight: `${total * ROW_PX + 2}px` }} onScroll=${() => setTop(box.current!.scrollTop)}>
    <ul aria-label=${label} style=${{ height: `${total * ROW_PX}px` }}>${rows.map((nth) => {
      const found = row(nth)
      return html`<li key=${nth} aria-setsize=${total} aria-posinset=${nth + 1} style=${{ top: `${nth * ROW_PX}px`, height: `${ROW_PX}px` }}>
        ${found === undefined ? "…" : render(found, nth)}</li>`
    })}</ul>
  </div>`
}
