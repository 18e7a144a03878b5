import { signed, unsigned, WasmReader } from "../../base/wasm-binary.ts"

/**
 * Maximum number of rounds that all loops of a function in a grammar may take in one call. For a file that fits into
 * the memory of the parser, each token takes fewer. An endless loop stops after 0.3 to 0.8 s.
 */
export const MAX_ROUNDS = 2 ** 24

const MAGIC = Buffer.from("\0asm\x01\0\0\0", "latin1")
const TYPE_SECTION = 1
const FUNCTION_SECTION = 3
const CODE_SECTION = 10
const FUNCTION_TYPE = 0x60
const I32 = 0x7f
const LOOP = 0x03
const BR_TABLE = 0x0e
const SELECT_TYPED = 0x1c
const F32_CONST = 0x43
const F64_CONST = 0x44
const PREFIX = 0xfc

/**
 * Returns the module with a counter in each function that has loops. The function stops with a trap once its loops have
 * taken more than `maxRounds` rounds in one call. This is needed because the scanners of grammars are written in C, and
 * some wait at the end of a file for a character that never comes, as Kotlin's does after an annotation. Neither a time
 * limit nor ending the thread stops a loop in WebAssembly, so one such file would keep a process busy for ever.
 *
 * Throws if the module is invalid or has instructions that grammars do not use (vectors, threads, exceptions). Format:
 * WebAssembly Core Specification 2.0, chapter 5.
 */
export function withBoundedLoops(module: Uint8Array, maxRounds = MAX_ROUNDS): Buffer {
  const reader = new WasmReader(module)
  if (!reader.bytes(MAGIC.length).equals(MAGIC)) throw new Error("not a WebAssembly module of version 1")
  const sections: Buffer[] = [MAGIC]
  let parameterCounts: readonly number[] = []
  let typeOfFunction: readonly number[] = []
  while (!reader.isAtEnd) {
    const id = reader.byte()
    const content = reader.bytes(reader.number())
    const section = new WasmReader(content)
    if (id === TYPE_SECTION) parameterCounts = section.list(() => parameterCount(section))
    if (id === FUNCTION_SECTION) typeOfFunction = section.list(() => section.number())
    const isCode = id === CODE_SECTION
    const written = isCode
      ? boundedCode(section, (nth) => parameterCounts[typeOfFunction[nth]!]!, maxRounds)
      : content
    sections.push(Buffer.from([id, ...unsigned(written.length)]), written)
  }
  return Buffer.concat(sections)
}

function parameterCount(section: WasmReader): number {
  if (section.byte() !== FUNCTION_TYPE) throw new Error("a type that is no function type")
  const parameters = section.list(() => section.byte())
  section.list(() => section.byte())
  return parameters.length
}

function boundedCode(section: WasmReader, parametersOf: (nth: number) => number, maxRounds: number): Buffer {
  const bodies = section.list((nth) => {
    const body = boundedFunction(section.bytes(section.number()), parametersOf(nth), maxRounds)
    return Buffer.concat([Buffer.from(unsigned(body.length)), body])
  })
  return Buffer.concat([Buffer.from(unsigned(bodies.length)), ...bodies])
}

function boundedFunction(body: Buffer, parameters: number, maxRounds: number): Buffer {
  const reader = new WasmReader(body)
  const groups = reader.list(() => ({ count: reader.number(), type: reader.byte() }))
  const start = reader.at
  const loops = endsOfLoopHeads(reader)
  if (loops.length === 0) return body
  const counter = groups.reduce((sum, { count }) => sum + count, parameters)
  const check = counted(counter, maxRounds)
  const locals = [...groups, { count: 1, type: I32 }]
  const code = loops.flatMap((end, nth) => [body.subarray(loops[nth - 1] ?? start, end), check])
  return Buffer.concat([
    Buffer.from([
      ...unsigned(locals.length),
      ...locals.flatMap(({ count, type }) => [...unsigned(count), type]),
    ]),
    ...code,
    body.subarray(loops.at(-1)),
  ])
}

/** The instructions that add 1 to a local variable and trap if it is then greater than `max`. */
function counted(local: number, max: number): Buffer {
  const index = unsigned(local)
  return Buffer.from([
    ...[0x20, ...index], // local.get
    ...[0x41, 1, 0x6a], // i32.const 1, i32.add
    ...[0x22, ...index], // local.tee
    ...[0x41, ...signed(max)], // i32.const
    ...[0x4b, 0x04, 0x40, 0x00, 0x0b], // i32.gt_u, if, unreachable, end
  ])
}

/**
 * For each loop, the offset after its block type, where its body begins. Afterwards the reader is at the end of the
 * code.
 */
function endsOfLoopHeads(reader: WasmReader): number[] {
  const ends: number[] = []
  while (!reader.isAtEnd) {
    const opcode = reader.byte()
    skipOperands(reader, opcode)
    if (opcode === LOOP) ends.push(reader.at)
  }
  return ends
}

function skipOperands(reader: WasmReader, opcode: number): void {
  if (opcode === F32_CONST) reader.bytes(4)
  else if (opcode === F64_CONST) reader.bytes(8)
  else if (opcode === SELECT_TYPED) reader.skipNumbers(reader.number())
  else if (opcode === BR_TABLE) reader.skipNumbers(reader.number() + 1)
  else if (opcode === PREFIX) reader.skipNumbers(operandsOfPrefixed(reader.number()))
  else reader.skipNumbers(operandsOf(opcode))
}

/** Number of operands of an instruction. Every operand is a number; a block type counts as one. */
function operandsOf(opcode: number): 0 | 1 | 2 {
  // Comparisons, arithmetic and conversions; loads and stores; variables and table elements.
  if (opcode >= 0x45 && opcode <= 0xc4) return 0
  if (opcode >= 0x28 && opcode <= 0x3e) return 2
  if (opcode >= 0x20 && opcode <= 0x26) return 1
  switch (opcode) {
    case 0x00: // unreachable
    case 0x01: // nop
    case 0x05: // else
    case 0x0b: // end
    case 0x0f: // return
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
      return 0
    case 0x02: // block
    case LOOP:
    case 0x04: // if
    case 0x0c: // br
    case 0x0d: // br_if
    case 0x10: // call
    case 0x12: // return_call
    case 0x3f: // memory.size
    case 0x40: // memory.grow
    case 0x41: // i32.const
    case 0x42: // i64.const
    case 0xd0: // ref.null
    case 0xd2: // ref.func
      return 1
    case 0x11: // call_indirect
    case 0x13: // return_call_indirect
      return 2
    default:
      throw new Error(`an instruction that grammars do not use: 0x${opcode.toString(16)}`)
  }
}

/** Number of operands of the instructions with prefix 0xfc: conversions, then bulk operations on memory and tables. */
function operandsOfPrefixed(instruction: number): number {
  const operands = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1][instruction]
  if (operands === undefined) throw new Error(`an instruction that grammars do not use: 0xfc ${instruction}`)
  return operands
}
