import { dlopen, ptr } from "bun:ffi"

const SYMBOLS = { poll: { args: ["ptr", "u64", "i32"], returns: "i32" } } as const
const LIBRARIES = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  "libSystem.dylib",
]

// poll.h: struct pollfd { int fd; short events; short revents }; an error or a hang-up is told without being asked for.
const STANDARD_OUTPUT = 1
const POLLERR = 0x8
const POLLHUP = 0x10

/** Whether nobody reads stdout any more (`aman logs -f | head`), which who does not write would never learn. */
export function isReaderGone(): boolean {
  poll ??= openLibrary()
  const asked = new Int32Array([STANDARD_OUTPUT, 0])
  return poll(ptr(asked), 1n, 0) > 0 && ((asked[1]! >> 16) & (POLLERR | POLLHUP)) !== 0
}

type Poll = ReturnType<typeof dlopen<typeof SYMBOLS>>["symbols"]["poll"]

let poll: Poll | undefined

function openLibrary(): Poll {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, SYMBOLS).symbols.poll
    } catch {
      // Another system's.
    }
  }
  return (() => 0) as unknown as Poll
}
