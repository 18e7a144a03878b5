import type { CommandOutput } from "./output.ts"
import { duration, groupDigits, percent } from "./text.ts"

const LINE_MS = 1000
// Time in ms before the first progress is shown, so that short operations do not flicker.
const PROGRESS_DELAY_MS = 200

export type ProgressReporter = { update(progress: Progress): void; done(): void }
type RemarkOutput = Pick<CommandOutput, "remark" | "isRemarkTerminal" | "remarkColumns" | "remarkColors">

/** Reports progress on stderr: a bar on a terminal, else one line per second; nothing with --quiet. */
export function reportProgress(
  output: RemarkOutput,
  { quiet, verbose }: { readonly quiet: boolean; readonly verbose: boolean },
  now: () => number = performance.now.bind(performance),
): ProgressReporter {
  if (quiet) return { update: () => {}, done: () => {} }
  // With --verbose, log lines would break the bar.
  return output.isRemarkTerminal && !verbose ? onTerminal(output, now) : lineBySecond(output, now)
}

function onTerminal(output: RemarkOutput, now: () => number): ProgressReporter {
  const speed = new Speed()
  const start = now()
  let bar: ProgressBar | null = null
  return {
    update(progress) {
      const time = now()
      const perSecond = speed.measure(progress, time)
      if (bar === null && time - start >= PROGRESS_DELAY_MS) bar = openProgressBar(output)
      bar?.update(progress, perSecond, time)
    },
    done() {
      bar?.close()
      bar = null
    },
  }
}

function lineBySecond(output: RemarkOutput, now: () => number): ProgressReporter {
  const speed = new Speed()
  let next = now() + LINE_MS
  let isDone = false
  return {
    update(progress) {
      if (isDone) return
      const time = now()
      const perSecond = speed.measure(progress, time)
      if (time < next) return
      next = time + LINE_MS
      output.remark(`${progressText(progress, perSecond)}\n`)
    },
    done() {
      isDone = true
    },
  }
}

const PHASES = {
  scan: { title: "Scanning files", noun: "files" },
  parse: { title: "Reading", noun: "files" },
  merge: { title: "Writing the index", noun: "parts" },
  embed: { title: "Embedding", noun: "files" },
  link: { title: "Linking vectors", noun: "chunks" },
  send: { title: "Embedding", noun: "chunks" },
  remember: { title: "Embedding", noun: "memories" },
} as const
/** Progress of a long operation. */
export type Progress = { readonly phase: keyof typeof PHASES; readonly done: number; readonly total: number }

// Window in ms over which the rate is computed: files differ in size, and other work on the machine changes the
// speed.
const RATE_WINDOW_MS = 5000

const SAMPLE_MS = 100

/** Progress as one line: "Reading  1,200/5,000 files  24 %  410 files/s  9 s left". */
export function progressText(progress: Progress, perSecond: number): string {
  return progressParts(progress, perSecond).join("  ")
}

/** Phase, progress, rate and remaining time; the last two only if known. */
export function progressParts({ phase, done, total }: Progress, perSecond: number): string[] {
  const { title, noun } = PHASES[phase]
  if (total <= 0) return [title, `${groupDigits(done)} ${noun}`]
  const parts = [
    title,
    `${groupDigits(done)}/${groupDigits(total)} ${noun}`,
    percent(Math.min(1, done / total)),
  ]
  if (perSecond > 0) {
    parts.push(`${groupDigits(perSecond)} ${noun}/s`)
    if (done < total) parts.push(`${duration(Math.max(1000, ((total - done) / perSecond) * 1000))} left`)
  }
  return parts
}

/** Items per second, over the last seconds of the current phase. */
export class Speed {
  #phase = ""
  #samples: { time: number; done: number }[] = []

  measure({ phase, done }: Progress, time: number): number {
    if (phase !== this.#phase) {
      this.#phase = phase
      this.#samples = []
    }
    // Keeps a few samples per second; updates are far more frequent.
    const last = this.#samples.at(-1)
    if (!last || time - last.time >= SAMPLE_MS) this.#samples.push({ time, done })
    while (this.#samples.length > 2 && time - this.#samples[0]!.time > RATE_WINDOW_MS) this.#samples.shift()
    const first = this.#samples[0]!
    return time > first.time ? ((done - first.done) * 1000) / (time - first.time) : 0
  }
}

const WIDEST_BAR = 24
/** Time in ms between two drawings of the bar. */
const DRAW_MS = 100
const CLEAR = "\x1b[1G\x1b[2K"

type ProgressBar = { update(progress: Progress, perSecond: number, time: number): void; close(): void }
type Terminal = Pick<CommandOutput, "remark" | "remarkColumns" | "remarkColors">

/** A progress bar on stderr; removed when it is closed or the process ends. */
export function openProgressBar(output: Terminal): ProgressBar {
  // The bar becomes narrower when numbers grow but never wider again, so that its width does not flicker.
  let width = WIDEST_BAR
  let drawn = Number.NEGATIVE_INFINITY
  const line = (progress: Progress, perSecond: number) => {
    const parts = progressParts(progress, perSecond)
    // One column stays free, because some terminals wrap after a full line.
    const max = output.remarkColumns - 1
    width = Math.min(width, max - parts.join("  ").length - 2)
    if (progress.total <= 0 || width < 8) return parts.join("  ").slice(0, Math.max(0, max))
    const full = Math.round(Math.min(1, progress.done / progress.total) * width)
    const { cyan, dim } = output.remarkColors
    return [parts[0], cyan("█".repeat(full)) + dim("░".repeat(width - full)), ...parts.slice(1)].join("  ")
  }
  const close = () => {
    process.off("exit", close)
    output.remark(CLEAR)
  }
  process.on("exit", close)
  return {
    update(progress, perSecond, time) {
      if (time - drawn < DRAW_MS) return
      drawn = time
      output.remark(CLEAR + line(progress, perSecond))
    },
    close,
  }
}
