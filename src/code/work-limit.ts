/**
 * Says whether this thread has worked for longer than `ms` since now. A process that was stopped, or a machine that
 * slept or had no processor to spare, is no reason to give a file up: it would stay so until the file changes.
 */
export function workLimit(ms: number): () => boolean {
  const deadline = performance.now() + ms
  const before = workedMs()
  // The clock is the cheaper to ask, and no thread works longer than time passes.
  return () => performance.now() > deadline && workedMs() - before > ms
}

/**
 * Processor time of this thread, or the clock where a runtime cannot tell, as Bun 1.3 cannot. Bun asks Linux and
 * Windows for the thread's own; macOS is not measured here: should it answer for the whole process, others' work
 * counts too, and the limit still never comes before that of the clock.
 */
function workedMs(): number {
  const tell: typeof process.threadCpuUsage | undefined = process.threadCpuUsage
  if (tell === undefined) return performance.now()
  const { user, system } = tell.call(process)
  return (user + system) / 1000
}
