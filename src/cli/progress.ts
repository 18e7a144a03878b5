import type { IndexProgress } from "../app/answers.ts"
import { count, duration } from "./numbers.ts"
import type { Colors, Output } from "./output.ts"

const PHASES = {
  scan: { title: "Looking for files", noun: "files" },
  parse: { title: "Reading", noun: "files" },
  fold: { title: "Writing the index", noun: "parts" },
  embed: { title: "Embedding", noun: "chunks" },
} as const
const BAR_WIDTH = 24
const REDRAW_MS = 100
const LINE_MS = 1000
// What is over in a moment is not worth a flicker.
const PATIENCE_MS = 200
// The rate is that of the last seconds: files differ, and the machine has other work.
const RATE_WINDOW_MS = 5000

export type ProgressReporter = { update(progress: IndexProgress): void; done(): void }

/** A bar that is redrawn on a terminal, a line a second elsewhere, nothing with --quiet; always stderr. */
export function reportProgress(
  output: Pick<Output, "remark" | "isRemarkTerminal" | "remarkColors">,
  quiet: boolean,
  now: () => number = performance.now.bind(performance),
): ProgressReporter {
  if (quiet) return { update: () => {}, done: () => {} }
  const speed = new Speed()
  const start = now()
  const wait = output.isRemarkTerminal ? REDRAW_MS : LINE_MS
  let next = start + (output.isRemarkTerminal ? PATIENCE_MS : LINE_MS)
  let isDrawn = false
  return {
    update(progress) {
      const time = now()
      const perSecond = speed.measure(progress, time)
      if (time < next) return
      next = time + wait
      const text = progressText(
        progress,
        perSecond,
        output.isRemarkTerminal ? output.remarkColors : undefined,
      )
      output.remark(output.isRemarkTerminal ? `\r\x1b[2K${text}` : `${text}\n`)
      isDrawn = output.isRemarkTerminal
    },
    done() {
      if (isDrawn) output.remark("\r\x1b[2K")
      isDrawn = false
    },
  }
}

/** "Reading  1,200/5,000 files  24 %  410 files/s  9 s left", with a bar where there are colours for it. */
export function progressText({ phase, done, total }: IndexProgress, perSecond: number, c?: Colors): string {
  const { title, noun } = PHASES[phase]
  if (total <= 0) return `${title}  ${count(done)} ${noun}`
  const share = Math.min(1, done / total)
  const parts: string[] = [title]
  if (c) parts.push(bar(share, c))
  parts.push(`${count(done)}/${count(total)} ${noun}`, `${Math.floor(share * 100)} %`)
  if (perSecond > 0) {
    parts.push(`${count(perSecond)} ${noun}/s`)
    if (done < total) parts.push(`${duration(Math.max(1000, ((total - done) / perSecond) * 1000))} left`)
  }
  return parts.join("  ")
}

function bar(share: number, c: Colors): string {
  const full = Math.round(share * BAR_WIDTH)
  return c.cyan("█".repeat(full)) + c.dim("░".repeat(BAR_WIDTH - full))
}

/** How much is done a second, over the last seconds of the present phase. */
class Speed {
  #phase = ""
  #samples: { time: number; done: number }[] = []

  measure({ phase, done }: IndexProgress, time: number): number {
    if (phase !== this.#phase) {
      this.#phase = phase
      this.#samples = []
    }
    // One sample per redraw is enough; updates come by the thousand.
    const last = this.#samples.at(-1)
    if (!last || time - last.time >= REDRAW_MS) this.#samples.push({ time, done })
    while (this.#samples.length > 2 && time - this.#samples[0]!.time > RATE_WINDOW_MS) this.#samples.shift()
    const first = this.#samples[0]!
    return time > first.time ? ((done - first.done) * 1000) / (time - first.time) : 0
  }
}
