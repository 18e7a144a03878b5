import { Writable } from "node:stream"
import { Format, SingleBar } from "cli-progress"
import type { Colors, CommandOutput } from "../output.ts"
import { type Progress, progressParts } from "./progress-text.ts"

const WIDEST_BAR = 24
const MIN_BAR_WIDTH = 8

export type ProgressBar = { update(progress: Progress, perSecond: number): void; close(): void }
type ProgressState = { readonly progress: Progress; readonly perSecond: number }
type Terminal = Pick<CommandOutput, "remark" | "remarkColumns" | "remarkColors">

/** A progress bar on stderr; removed when it is closed or the process ends. */
export function openProgressBar(output: Terminal, progress: Progress): ProgressBar {
  // The bar becomes narrower when numbers grow but never wider again, so that its width does not flicker.
  let width = WIDEST_BAR
  const bar = new SingleBar({
    stream: terminalStream(output),
    format: (options, _, { progress, perSecond }: ProgressState) => {
      const parts = progressParts(progress, perSecond)
      // One column stays free, because some terminals wrap after a full line.
      const max = output.remarkColumns - 1
      width = Math.min(width, max - parts.join("  ").length - 2)
      const share = shareOf(progress)
      if (share === null || width < MIN_BAR_WIDTH) return parts.join("  ").slice(0, Math.max(0, max))
      const drawn = coloured(Format.BarFormat(share, { ...options, barsize: width }), output.remarkColors)
      return [parts[0], drawn, ...parts.slice(1)].join("  ")
    },
    barCompleteChar: "█",
    barIncompleteChar: "░",
    clearOnComplete: true,
    // The library's option to disable line wrapping is not used, because a killed process could not enable it again.
    linewrap: true,
  })
  const close = () => {
    process.off("exit", close)
    bar.stop()
  }
  process.on("exit", close)
  bar.start(progress.total, progress.done, { progress, perSecond: 0 } satisfies ProgressState)
  return {
    update: (progress, perSecond) => bar.update({ progress, perSecond } satisfies ProgressState),
    close,
  }
}

function shareOf({ done, total }: Progress): number | null {
  return total <= 0 ? null : Math.min(1, done / total)
}

function coloured(bar: string, c: Colors): string {
  return bar.replace(/█+/, c.cyan).replace(/░+/, c.dim)
}

/**
 * Stream with unlimited columns, so that the library does not cut lines: it would count colour codes as
 * characters. The lines are cut in `format`.
 */
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
