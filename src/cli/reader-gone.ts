import { openSystemLibrary } from "../store/system-library.ts"

const SYMBOLS = { poll: { args: ["ptr", "u64", "i32"], returns: "i32" } } as const

// poll.h: struct pollfd { int fd; short events; short revents }; an error or a hang-up is told without being asked for.
// Where stdout was closed from the start, Bun has put /dev/null in its place.
const STANDARD_OUTPUT = 1
const POLLERR = 0x8
const POLLHUP = 0x10

/** Whether nobody reads stdout any more (`aman logs -f | head`), which who does not write would never learn. */
export function isReaderGone(): boolean {
  library ??= openSystemLibrary(SYMBOLS) ?? "none"
  if (library === "none") return false
  const asked = new Int32Array([STANDARD_OUTPUT, 0])
  return library.poll(asked, 1n, 0) > 0 && ((asked[1]! >> 16) & (POLLERR | POLLHUP)) !== 0
}

let library: NonNullable<ReturnType<typeof openSystemLibrary<typeof SYMBOLS>>> | "none" | undefined
