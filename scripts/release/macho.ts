/** Places in a 64-bit Mach-O file; all numbers are bytes from its beginning. */
export type MachO = {
  readonly isArm: boolean
  readonly text: Segment
  readonly linkedit: Segment
  /** Null if the file is not signed and has no room for a signature. */
  readonly signature: { readonly commandAt: number; readonly at: number; readonly size: number } | null
}

export type Segment = { readonly commandAt: number; readonly fileAt: number; readonly fileSize: number }

// <mach-o/loader.h>
const MAGIC_64 = 0xfeedfacf
const HEADER_BYTES = 32
const CPU_ARM64 = 0x0100000c
const SEGMENT_64 = 0x19
const CODE_SIGNATURE = 0x1d
/** Offsets inside a segment's command. */
export const SEGMENT = { name: 8, vmSize: 32, fileAt: 40, fileSize: 48 } as const
/** Offsets inside the command that contains the signature's place. */
export const SIGNATURE = { at: 8, size: 12 } as const

/** Throws if the file is no single 64-bit Mach-O file, or if its numbers are impossible. */
export function readMachO(file: Buffer): MachO {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC_64)
    throw new Error("no 64-bit Mach-O file")
  const segments = new Map<string, Segment>()
  let signature: MachO["signature"] = null
  for (const { command, commandAt } of loadCommands(file)) {
    if (command === SEGMENT_64) {
      const name = file.toString("latin1", commandAt + SEGMENT.name, commandAt + SEGMENT.name + 16)
      segments.set(name.replace(/\0+$/, ""), {
        commandAt,
        fileAt: Number(file.readBigUInt64LE(commandAt + SEGMENT.fileAt)),
        fileSize: Number(file.readBigUInt64LE(commandAt + SEGMENT.fileSize)),
      })
    } else if (command === CODE_SIGNATURE) {
      const at = file.readUInt32LE(commandAt + SIGNATURE.at)
      signature = { commandAt, at, size: file.readUInt32LE(commandAt + SIGNATURE.size) }
    }
  }
  return {
    isArm: file.readUInt32LE(4) === CPU_ARM64,
    text: segmentNamed(segments, "__TEXT"),
    linkedit: segmentNamed(segments, "__LINKEDIT"),
    signature,
  }
}

function* loadCommands(file: Buffer): Generator<{ readonly command: number; readonly commandAt: number }> {
  const count = file.readUInt32LE(16)
  let commandAt = HEADER_BYTES
  for (let index = 0; index < count; index++) {
    const size = file.readUInt32LE(commandAt + 4)
    if (size < 8 || commandAt + size > file.length) throw new Error("a load command has no right size")
    yield { command: file.readUInt32LE(commandAt), commandAt }
    commandAt += size
  }
}

function segmentNamed(segments: ReadonlyMap<string, Segment>, name: string): Segment {
  const found = segments.get(name)
  if (found) return found
  throw new Error(`no segment ${name}`)
}
