import { Writable } from "node:stream"
import { Format, type Options, SingleBar } from "cli-progress"
import type { IndexProgress } from "../app/answers.ts"
import type { Colors, Output } from "./output.ts"
import { progressParts } from "./progress-text.ts"

const WIDEST_BAR = 24
const NARROWEST_BAR = 8

export type ProgressBar = { update(progress: IndexProgress, perSecond: number): void; close(): void }
type Shown = { readonly progress: IndexProgress; readonly perSecond: number }
type Terminal = Pick<Output, "remark" | "remarkColumns" | "remarkColors">

/** A bar on stderr, gone when it is closed or the process ends. */
export function openProgressBar(output: Terminal, progress: IndexProgress): ProgressBar {
  const bar = new SingleBar({
    stream: terminalStream(output),
    format: (options, _, { progress, perSecond }: Shown) =>
      barLine(options, progressParts(progress, perSecond), shareOf(progress), output),
    barsize: WIDEST_BAR,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    clearOnComplete: true,
    // The terminal's wrapping stays on: a process that is killed could not turn it back on.
    linewrap: true,
  })
  const close = () => {
    process.off("exit", close)
    bar.stop()
  }
  process.on("exit", close)
  bar.start(progress.total, progress.done, { progress, perSecond: 0 } satisfies Shown)
  return {
    update: (progress, perSecond) => bar.update({ progress, perSecond } satisfies Shown),
    close,
  }
}

function shareOf({ done, total }: IndexProgress): number | null {
  return total <= 0 ? null : Math.min(1, done / total)
}

/** What is being done, the bar, and the numbers, on one line of the terminal. */
function barLine(
  options: Options,
  [title = "", ...rest]: readonly string[],
  share: number | null,
  { remarkColumns, remarkColors }: Terminal,
): string {
  const text = [title, ...rest].join("  ")
  // A full line would make some terminals begin the next one.
  const most = remarkColumns - 1
  const barsize = Math.min(WIDEST_BAR, most - text.length - 2)
  if (share === null || barsize < NARROWEST_BAR) return text.slice(0, Math.max(0, most))
  const bar = Format.BarFormat(share, { ...options, barsize })
  return [title, coloured(bar, remarkColors), ...rest].join("  ")
}

function coloured(bar: string, c: Colors): string {
  return bar.replace(/█+/, c.cyan).replace(/░+/, c.dim)
}

/** The library cuts lines at the width of its stream, colours counted, so ours are cut before. */
function terminalStream({ remark }: Terminal): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      remark(text)
      done()
    },
  })
  return Object.assign(stream, { isTTY: true, columns: Number.POSITIVE_INFINITY })
}
