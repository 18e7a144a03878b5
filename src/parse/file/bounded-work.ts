import { ByteReader, unsigned } from "../../base/index.ts"

/**
 * Maximum number of steps that a grammar may take until `refillSteps` (syntax-tree.ts) is called: calls of functions,
 * rounds of loops, and blocks of 64 bytes that are copied or filled. A token takes fewer in a file that fits into the
 * memory of the parser. Endless work stops after 0.2 to 0.8 s.
 */
export const MAX_STEPS = 2 ** 24

/** Name of the global variable, imported from "env", that holds the number of steps left. */
export const STEPS_LEFT = "aman_steps_left"

const MAGIC = Buffer.from("\0asm\x01\0\0\0", "latin1")
const TYPE_SECTION = 1
const IMPORT_SECTION = 2
const FUNCTION_SECTION = 3
const EXPORT_SECTION = 7
const CODE_SECTION = 10
const FUNCTION_TYPE = 0x60
const I32 = 0x7f
const LOOP = 0x03
const BR_TABLE = 0x0e
const CALL = 0x10
const SELECT_TYPED = 0x1c
const GLOBAL_GET = 0x23
const GLOBAL_SET = 0x24
const F32_CONST = 0x43
const F64_CONST = 0x44
const PREFIX = 0xfc
/** The kinds of imports and exports. */
const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const

/** Instructions with prefix 0xfc that take a time in proportion to the number on top of the stack. */
const BULK: ReadonlySet<number> = new Set([8, 10, 11, 12, 14, 15, 17])
/** Functions of C that do, too: that number is their last argument. */
const BULK_FUNCTION = /^(?:mem(?:cpy|move|set|cmp|chr)|strn(?:cmp|cpy|cat)|realloc)$/

/**
 * Functions that a grammar may import: those of C that web-tree-sitter provides for scanners, and reports of failed
 * assertions. Others of web-tree-sitter could work without end, or reach out of the parser.
 */
const FUNCTION =
  /^(?:isw\w+|tow(?:lower|upper)|mem(?:chr|cmp|cpy|move|set)|str(?:cmp|len|ncat|ncmp|ncpy)|calloc|free|malloc|realloc|abort|__assert_fail|tree_sitter_\w+_external_scanner_\w+)$/

/** Facts about a module that its function bodies need. */
type Module = {
  parameterCounts: readonly number[]
  typeOfFunction: readonly number[]
  /** Names of the imported functions, by index. */
  functions: string[]
  /** Number of imported globals, and so the index of the one that is added. */
  globals: number
}

/**
 * Returns the module with a check at the beginning of each function and of each round of a loop, and before work on a
 * block of memory: it takes steps from the global STEPS_LEFT, and stops with a trap if too few are left. This is needed
 * because the scanners of grammars are written in C, and some wait at the end of a file for a character that never
 * comes, as Kotlin's does after an annotation. Neither a time limit nor ending the thread stops a loop or a recursion in
 * WebAssembly, so one such file would keep a process busy for ever.
 *
 * Throws if the module is invalid, has instructions that grammars do not use (vectors, threads, exceptions), imports
 * other functions than FUNCTION, or has been rewritten before. Format: WebAssembly Core Specification 2.0, chapter 5.
 */
export function withBoundedWork(module: Uint8Array): Buffer {
  const reader = new ByteReader(module)
  if (!reader.bytes(MAGIC.length).equals(MAGIC)) throw new Error("not a WebAssembly module of version 1")
  const sections: Buffer[] = [MAGIC]
  const facts: Module = { parameterCounts: [], typeOfFunction: [], functions: [], globals: 0 }
  const add = (id: number, content: Buffer) => {
    const written = boundedSection(id, content, facts)
    sections.push(Buffer.from([id, ...unsigned(written.length)]), written)
  }
  let hasImports = false
  while (!reader.isAtEnd) {
    const id = reader.byte()
    const content = reader.bytes(reader.number())
    if (id > IMPORT_SECTION && !hasImports) add(IMPORT_SECTION, Buffer.from([0]))
    hasImports ||= id >= IMPORT_SECTION
    add(id, content)
  }
  return Buffer.concat(sections)
}

/** The content of a section as it is in the bounded module. Adds to the facts. */
function boundedSection(id: number, content: Buffer, facts: Module): Buffer {
  const section = new ByteReader(content)
  switch (id) {
    case TYPE_SECTION:
      facts.parameterCounts = section.list(() => parameterCount(section))
      return content
    case IMPORT_SECTION:
      return withOwnImport(section, facts)
    case FUNCTION_SECTION:
      facts.typeOfFunction = section.list(() => section.number())
      return content
    case EXPORT_SECTION:
      return shiftedExports(section, facts)
    case CODE_SECTION:
      return boundedCode(section, facts)
    default:
      return content
  }
}

/** True if the module comes from `withBoundedWork`. */
export function isBounded(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.imports(module).some(({ name }) => name === STEPS_LEFT)
}

function parameterCount(section: ByteReader): number {
  if (section.byte() !== FUNCTION_TYPE) throw new Error("a type that is no function type")
  const parameters = section.list(() => section.byte())
  section.list(() => section.byte())
  return parameters.length
}

/** The imports and, after them, the global STEPS_LEFT. Adds to the facts. */
function withOwnImport(section: ByteReader, facts: Module): Buffer {
  const imports = section.list(() => {
    const start = section.at
    const module = section.bytes(section.number()).toString()
    const name = section.bytes(section.number()).toString()
    const kind = section.byte()
    if (name === STEPS_LEFT) throw new Error(`it imports ${STEPS_LEFT}`)
    if (kind === KIND.function) {
      if (!FUNCTION.test(name))
        throw new Error(`it imports the function ${module}.${name}, which scanners do not get`)
      facts.functions.push(name)
    }
    skipImport(section, kind)
    if (kind === KIND.global) facts.globals++
    return section.between(start, section.at)
  })
  const own = ["env", STEPS_LEFT].flatMap((name) => [name.length, ...Buffer.from(name)])
  return Buffer.concat([
    Buffer.from(unsigned(imports.length + 1)),
    ...imports,
    Buffer.from([...own, KIND.global, I32, 1]),
  ])
}

function skipImport(section: ByteReader, kind: number): void {
  if (kind > KIND.global) throw new Error("an import that grammars do not use")
  if (kind === KIND.function) section.number()
  else if (kind === KIND.global) section.bytes(2)
  else {
    if (kind === KIND.table) section.byte()
    section.skipNumbers(section.byte() & 1 ? 2 : 1)
  }
}

/** The exports, with the indexes of the module's own globals behind the one that is added. */
function shiftedExports(section: ByteReader, { globals }: Module): Buffer {
  const exports = section.list(() => {
    const start = section.at
    section.bytes(section.number())
    const kind = section.byte()
    const head = section.between(start, section.at)
    const index = section.number()
    return Buffer.concat([
      head,
      Buffer.from(unsigned(kind === KIND.global && index >= globals ? index + 1 : index)),
    ])
  })
  return Buffer.concat([Buffer.from(unsigned(exports.length)), ...exports])
}

function boundedCode(section: ByteReader, facts: Module): Buffer {
  const bodies = section.list((nth) => {
    const parameters = facts.parameterCounts[facts.typeOfFunction[nth]!]!
    const body = boundedFunction(section.bytes(section.number()), parameters, facts)
    return Buffer.concat([Buffer.from(unsigned(body.length)), body])
  })
  return Buffer.concat([Buffer.from(unsigned(bodies.length)), ...bodies])
}

function boundedFunction(body: Buffer, parameters: number, facts: Module): Buffer {
  const reader = new ByteReader(body)
  const groups = reader.list(() => ({ count: reader.number(), type: reader.byte() }))
  // Three further locals hold the sizes of blocks of memory.
  const first = groups.reduce((sum, { count }) => sum + count, parameters)
  const locals = [...groups, { count: 3, type: I32 }]
  return Buffer.concat([
    Buffer.from(unsigned(locals.length)),
    ...locals.map(({ count, type }) => Buffer.from([...unsigned(count), type])),
    oneStep(facts.globals),
    ...boundedInstructions(reader, first, facts),
  ])
}

/** The rest of the reader's instructions with the checks, and with shifted indexes of globals. */
function boundedInstructions(reader: ByteReader, local: number, facts: Module): Buffer[] {
  const code: Buffer[] = []
  let copied = reader.at
  while (!reader.isAtEnd) {
    const start = reader.at
    const replaced = replacedInstruction(reader, local, facts)
    if (replaced === null) continue
    code.push(reader.between(copied, start), replaced)
    copied = reader.at
  }
  code.push(reader.between(copied, reader.at))
  return code
}

/** Reads an instruction, and returns those that take its place; null if it stays as it is. */
function replacedInstruction(reader: ByteReader, local: number, facts: Module): Buffer | null {
  const start = reader.at
  const opcode = reader.byte()
  switch (opcode) {
    case GLOBAL_GET:
    case GLOBAL_SET: {
      const index = reader.number()
      return index < facts.globals ? null : Buffer.from([opcode, ...unsigned(index + 1)])
    }
    case CALL: {
      const name = facts.functions[reader.number()] ?? ""
      return measuredCall(name, reader.between(start, reader.at), local, facts.globals)
    }
    case PREFIX: {
      const instruction = reader.number()
      reader.skipNumbers(operandsOfPrefixed(instruction))
      if (!BULK.has(instruction)) return null
      return Buffer.concat([stepsOfSize(facts.globals, local), reader.between(start, reader.at)])
    }
    default:
      skipOperands(reader, opcode)
      return opcode === LOOP
        ? Buffer.concat([reader.between(start, reader.at), oneStep(facts.globals)])
        : null
  }
}

/** The call of an imported function of C with the check of its size; null if its time does not depend on one. */
function measuredCall(name: string, call: Buffer, local: number, global: number): Buffer | null {
  if (BULK_FUNCTION.test(name)) return Buffer.concat([stepsOfSize(global, local), call])
  if (name === "calloc") return Buffer.concat([stepsOfProduct(global, local), call])
  return name === "strlen" ? Buffer.concat([call, stepsOfSize(global, local)]) : null
}

/** The instructions that take one step, and trap if none is left. */
function oneStep(global: number): Buffer {
  const index = unsigned(global)
  return Buffer.from([
    ...[GLOBAL_GET, ...index, 0x45, 0x04, 0x40, 0x00, 0x0b], // i32.eqz, if, unreachable, end
    ...[GLOBAL_GET, ...index, 0x41, 1, 0x6b, GLOBAL_SET, ...index], // i32.const 1, i32.sub
  ])
}

/** The instructions that take a step for each 64 bytes of the size on top of the stack, and leave it there. */
function stepsOfSize(global: number, local: number): Buffer {
  const [left, size] = [unsigned(global), unsigned(local)]
  const steps = [0x20, ...size, 0x41, 6, 0x76] // local.get, i32.const 6, i32.shr_u
  return Buffer.from([
    ...[0x22, ...size], // local.tee
    ...[GLOBAL_GET, ...left, ...steps, 0x49, 0x04, 0x40, 0x00, 0x0b], // i32.lt_u, if, unreachable, end
    ...[GLOBAL_GET, ...left, ...steps, 0x6b, GLOBAL_SET, ...left], // i32.sub
  ])
}

/** The same for the product of the two numbers on top of the stack. */
function stepsOfProduct(global: number, local: number): Buffer {
  const [one, two] = [unsigned(local + 1), unsigned(local + 2)]
  const both = [0x20, ...one, 0x20, ...two] // local.get twice
  return Buffer.concat([
    Buffer.from([0x21, ...two, 0x21, ...one, ...both, 0x6c]), // local.set twice, i32.mul
    stepsOfSize(global, local),
    Buffer.from([0x1a, ...both]), // drop
  ])
}

function skipOperands(reader: ByteReader, opcode: number): void {
  if (opcode === F32_CONST) reader.bytes(4)
  else if (opcode === F64_CONST) reader.bytes(8)
  else if (opcode === SELECT_TYPED) reader.skipNumbers(reader.number())
  else if (opcode === BR_TABLE) reader.skipNumbers(reader.number() + 1)
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

const MAGIC_BYTES = 8
const CUSTOM_SECTION = 0
/**
 * Number of the subsection that states the memory and table size that a module needs. Its content is that of the older
 * section "dylink".
 */
const MEMORY_INFO = 1

/** A section of a WebAssembly module: its number, and the offsets of its start, of its content and of its end. */
type WasmSection = {
  readonly id: number
  readonly start: number
  readonly content: number
  readonly end: number
}

/**
 * Returns a grammar's module in the form that web-tree-sitter loads. A module states how much memory and how many table
 * slots it needs. tree-sitter before 0.21 wrote this into a section "dylink"; later versions write a section
 * "dylink.0", whose content begins with a header (WebAssembly tool conventions, DynamicLinking.md). A module of the
 * later form is returned unchanged. Throws if the module is truncated, or needs a library besides web-tree-sitter.
 */
export function withCurrentLinking(module: Uint8Array): Uint8Array {
  const old = sectionsOf(module).find((section) => sectionName(module, section)?.text === "dylink")
  const name = old && sectionName(module, old)
  if (!old || !name) return module
  // The content: bytes and alignment of the memory, slots and alignment of the table, and then the names of libraries.
  const reader = new ByteReader(module, name.end)
  reader.skipNumbers(4)
  const info = module.subarray(name.end, reader.at)
  if (reader.number() !== 0) throw new Error("the module needs another library")
  const content = [...nameBytes("dylink.0"), MEMORY_INFO, ...unsigned(info.length), ...info]
  const section = [CUSTOM_SECTION, ...unsigned(content.length), ...content]
  return Buffer.concat([module.subarray(0, old.start), Buffer.from(section), module.subarray(old.end)])
}

function sectionsOf(module: Uint8Array): WasmSection[] {
  const sections: WasmSection[] = []
  const reader = new ByteReader(module, MAGIC_BYTES)
  while (!reader.isAtEnd) {
    const start = reader.at
    const id = reader.byte()
    const size = reader.number()
    const content = reader.at
    reader.bytes(size)
    sections.push({ id, start, content, end: reader.at })
  }
  return sections
}

function sectionName(module: Uint8Array, { id, content }: WasmSection): { text: string; end: number } | null {
  if (id !== CUSTOM_SECTION) return null
  const reader = new ByteReader(module, content)
  return { text: reader.bytes(reader.number()).toString(), end: reader.at }
}

function nameBytes(text: string): number[] {
  return [...unsigned(text.length), ...Buffer.from(text)]
}
