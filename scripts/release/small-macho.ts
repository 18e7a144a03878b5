const COMMANDS_AT = 32
const SEGMENT_BYTES = 72
const SIGNATURE_BYTES = 16

/** A Mach-O file for tests, with this many bytes of code and a place for a signature after them. */
export function smallMachO(codeBytes: number): Buffer {
  const signatureAt = Math.ceil(codeBytes / 16) * 16
  const file = Buffer.alloc(signatureAt + 16, 0x90)
  const linkeditAt = signatureAt - 16
  const commands = [
    segment("__TEXT", 0, linkeditAt),
    segment("__LINKEDIT", linkeditAt, file.length - linkeditAt),
    signature(signatureAt, 16),
  ]
  file.fill(0, signatureAt)
  // Magic number, x86-64, its subtype, executable.
  for (const [index, value] of [0xfeedfacf, 0x01000007, 3, 2, commands.length].entries())
    file.writeUInt32LE(value, index * 4)
  Buffer.concat(commands).copy(file, COMMANDS_AT)
  return file
}

function segment(name: string, fileAt: number, fileSize: number): Buffer {
  const command = Buffer.alloc(SEGMENT_BYTES)
  command.writeUInt32LE(0x19, 0)
  command.writeUInt32LE(SEGMENT_BYTES, 4)
  command.write(name, 8, "latin1")
  command.writeBigUInt64LE(BigInt(fileAt), 24)
  command.writeBigUInt64LE(BigInt(fileSize), 32)
  command.writeBigUInt64LE(BigInt(fileAt), 40)
  command.writeBigUInt64LE(BigInt(fileSize), 48)
  return command
}

function signature(at: number, size: number): Buffer {
  const command = Buffer.alloc(SIGNATURE_BYTES)
  for (const [index, value] of [0x1d, SIGNATURE_BYTES, at, size].entries())
    command.writeUInt32LE(value, index * 4)
  return command
}
