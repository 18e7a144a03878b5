import { expect, test } from "bun:test"
import type { Embedder } from "../../src/index/embed/port.ts"

const CODE = `export function findUser(id: number): User | undefined {
  return users.get(id) // by primary key
}`

/** Tests that every Embedder must pass. */
export function embedderContract(name: string, make: () => Embedder): void {
  test(`${name}: returns a chunk vector with the space's dimensions and length 1`, async () => {
    const { space, embedChunks } = make()
    const vectors = await embedChunks([input(CODE), input("# Users\n\nHow users are found.")])
    expect(vectors).toHaveLength(2 * space.dimensions)
    for (const row of rowsOf(vectors, space.dimensions)) expect(Math.hypot(...row)).toBeCloseTo(1, 4)
  })

  test(`${name}: returns a query vector of length 1, near similar texts and far from others`, async () => {
    const embedder = make()
    const query = await embedder.embedQuery("find user by id")
    expect(Math.hypot(...query)).toBeCloseTo(1, 4)
    const vectors = await embedder.embedChunks([input(CODE), input("color: red; margin: 0 auto;")])
    const [like, other] = rowsOf(vectors, embedder.space.dimensions).map((row) => dot(query, row))
    expect(like!).toBeGreaterThan(other!)
  })

  test(`${name}: returns the same vector for the same text, alone, in a batch and in every instance`, async () => {
    const [first, second] = [make(), make()]
    expect(second.space).toEqual(first.space)
    const alone = await first.embedChunks([input(CODE)])
    const among = await second.embedChunks([input("other"), input(CODE), input("others")])
    expect(rowsOf(among, first.space.dimensions)[1]!).toEqual(alone)
    expect(await second.embedQuery("find user")).toEqual(await first.embedQuery("find user"))
  })

  test(`${name}: returns zeros for an empty text and no vectors for no inputs`, async () => {
    const { space, embedChunks, embedQuery } = make()
    expect(await embedQuery("")).toEqual(new Float32Array(space.dimensions))
    expect(await embedQuery(" \n\t ")).toEqual(new Float32Array(space.dimensions))
    expect(await embedChunks([])).toEqual(new Float32Array(0))
    const vectors = await embedChunks([{ text: "", names: [], path: "" }, input(CODE)])
    expect(vectors.subarray(0, space.dimensions)).toEqual(new Float32Array(space.dimensions))
    expect(Math.hypot(...vectors.subarray(space.dimensions))).toBeCloseTo(1, 4)
  })

  test(`${name}: accepts a long text, a strange one, and half a surrogate pair`, async () => {
    const { space, embedChunks } = make()
    const strange = ["\u{1F600}\ud83d", "поиск пользователя", "x".repeat(500_000), "\0\u0301"].map(input)
    const vectors = await embedChunks(strange)
    expect(vectors).toHaveLength(4 * space.dimensions)
    expect(vectors.every((value) => Number.isFinite(value))).toBe(true)
  })
}

function input(text: string) {
  return { text, names: [], path: "src/users.ts" }
}

function rowsOf(vectors: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, row) =>
    vectors.slice(row * dimensions, (row + 1) * dimensions),
  )
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
