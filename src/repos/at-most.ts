/** Runs `act` for each, so many at once, in their order; the first to throw is thrown once all have ended. */
export async function atMost<T, R>(
  most: number,
  items: readonly T[],
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  const rest = items.entries()
  const worker = async () => {
    for (const [at, item] of rest) results[at] = await act(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker))
  const failed = ended.find((each) => each.status === "rejected")
  if (failed) throw failed.reason
  return results
}
