const FILE_ALIGNMENT = 512
const PAGE_BYTES = 4096
const HEADERS_BYTES = 512
const DIRECTORY_BYTES = 40
const OPTIONAL_HEADER_BYTES = 240
const AMD64 = 0x8664
const EXECUTABLE_LARGE_ADDRESS_DLL = 0x2022
const READABLE_DATA = 0x40000040

/**
 * A Windows library without code whose only function is that of another library, such as
 * "advapi32.SystemFunction036".
 */
export function forwarderDll(name: string, exported: string, target: string): Buffer {
  const exports = exportDirectory(PAGE_BYTES, name, exported, target)
  const file = Buffer.alloc(HEADERS_BYTES + FILE_ALIGNMENT)
  file.write("MZ", 0)
  file.writeUInt32LE(64, 60)
  file.write("PE\0\0", 64)
  writeFields(file, 68, [
    [2, AMD64],
    [2, 1],
    [4, 0],
    [4, 0],
    [4, 0],
    [2, OPTIONAL_HEADER_BYTES],
    [2, EXECUTABLE_LARGE_ADDRESS_DLL],
  ])
  writeOptionalHeader(file, 88, exports.length)
  const section = 88 + OPTIONAL_HEADER_BYTES
  file.write(".rdata", section)
  for (const [index, value] of [exports.length, PAGE_BYTES, FILE_ALIGNMENT, HEADERS_BYTES].entries())
    file.writeUInt32LE(value, section + 8 + 4 * index)
  file.writeUInt32LE(READABLE_DATA, section + 36)
  exports.copy(file, HEADERS_BYTES)
  return file
}

/** Optional header of PE32+ ("Microsoft PE Format"): pairs of size and value, in order. */
function writeOptionalHeader(file: Buffer, at: number, exportsBytes: number): void {
  writeFields(file, at, [
    [2, 0x20b],
    [2, 14],
    [4, 0],
    [4, FILE_ALIGNMENT],
    [4, 0],
    [4, 0],
    [4, PAGE_BYTES],
    // Base address, alignments.
    [4, 0x80000000],
    [4, 1],
    [4, PAGE_BYTES],
    [4, FILE_ALIGNMENT],
    // Versions of the system, the file and the subsystem.
    [2, 6],
    [2, 0],
    [4, 0],
    [2, 6],
    [2, 0],
    [4, 0],
    // Size in memory, size of the headers, checksum, subsystem (console), flags (relocatable).
    [4, 2 * PAGE_BYTES],
    [4, HEADERS_BYTES],
    [4, 0],
    [2, 3],
    [2, 0x160],
  ])
  const DIRECTORIES_AT = at + 108
  file.writeUInt32LE(16, DIRECTORIES_AT)
  file.writeUInt32LE(PAGE_BYTES, DIRECTORIES_AT + 4)
  file.writeUInt32LE(exportsBytes, DIRECTORIES_AT + 8)
}

function exportDirectory(at: number, name: string, exported: string, target: string): Buffer {
  const texts = [name, exported, target].map((text) => Buffer.from(`${text}\0`, "latin1"))
  const [addresses, names, ordinals] = [
    at + DIRECTORY_BYTES,
    at + DIRECTORY_BYTES + 4,
    at + DIRECTORY_BYTES + 8,
  ]
  const nameAt = ordinals + 2
  const exportedAt = nameAt + texts[0]!.length
  const targetAt = exportedAt + texts[1]!.length
  const head = Buffer.alloc(DIRECTORY_BYTES + 10)
  for (const [index, value] of [nameAt, 1, 1, 1, addresses, names, ordinals].entries())
    head.writeUInt32LE(value, 12 + 4 * index)
  // An address inside the directory means that the function is in another library, whose name is the text at
  // this address.
  head.writeUInt32LE(targetAt, DIRECTORY_BYTES)
  head.writeUInt32LE(exportedAt, DIRECTORY_BYTES + 4)
  return Buffer.concat([head, ...texts])
}

function writeFields(file: Buffer, at: number, fields: readonly (readonly [2 | 4, number])[]): void {
  let place = at
  for (const [size, value] of fields) {
    file.writeUIntLE(value, place, size)
    place += size
  }
}
