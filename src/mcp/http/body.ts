type Body = { readonly text: string } | { readonly problem: "too large" | "too slow" | "broken" }

/** A request's text, if it is small enough and comes soon enough. */
export async function readBody(
  request: Request,
  { mostBytes, withinMs }: { readonly mostBytes: number; readonly withinMs: number },
): Promise<Body> {
  if (Number(request.headers.get("content-length")) > mostBytes) return { problem: "too large" }
  if (request.body === null) return { text: "" }
  const reader = request.body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, withinMs)
  try {
    const text = await readAll(reader, mostBytes)
    if (isLate) return { problem: "too slow" }
    return text === null ? { problem: "too large" } : { text }
  } catch {
    return { problem: isLate ? "too slow" : "broken" }
  } finally {
    clearTimeout(timer)
  }
}

/** What is needed of a stream's reader; Bun's type of it asks for more. */
type Reader = { read(): Promise<{ done: boolean; value?: Uint8Array }>; cancel(): Promise<void> }

async function readAll(reader: Reader, mostBytes: number): Promise<string | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value === undefined) return Buffer.concat(parts).toString()
    size += value.length
    if (size > mostBytes) {
      await reader.cancel().catch(() => {})
      return null
    }
    parts.push(value)
  }
}
