import { openSystemLibrary } from "../store/system-library.ts"

const SYMBOLS = { poll: { args: ["ptr", "u64", "i32"], returns: "i32" } } as const

// poll.h: struct pollfd { int fd; short events; short revents }. Errors and hang-ups are always reported.
// Descriptor 1 is always open, because Bun replaces a stdout that was closed at the start by /dev/null.
const STANDARD_OUTPUT = 1
const POLLERR = 0x8
const POLLHUP = 0x10

/**
 * True if the reader of stdout is gone (`aman logs -f | head`). A process that is not writing learns this only
 * by asking.
 */
export function isBrokenPipe(): boolean {
  library ??= openSystemLibrary(SYMBOLS) ?? "none"
  if (library === "none") return false
  const asked = new Int32Array([STANDARD_OUTPUT, 0])
  return library.poll(asked, 1n, 0) > 0 && ((asked[1]! >> 16) & (POLLERR | POLLHUP)) !== 0
}

let library: NonNullable<ReturnType<typeof openSystemLibrary<typeof SYMBOLS>>> | "none" | undefined
