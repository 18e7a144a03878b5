import { describe, expect, test } from "bun:test"
import type { KeywordFile } from "../../src/index/keyword/port.ts"
import { keywordFile } from "./keyword-files.ts"

/**
 * Finds the chunks that contain any word of a text. Our keyword index and the index it is compared with must
 * agree on them.
 */
export type MatchIndex = {
  /** The chunks as "path#ordinal", sorted. */
  matches(text: string): string[]
}

export type OpenMatchIndex = (files: readonly KeywordFile[], dead: ReadonlySet<number>) => MatchIndex

/** Tests that every implementation of the keyword port must pass. */
export function keywordContract(name: string, open: OpenMatchIndex): void {
  const files = [
    keywordFile(1, {
      path: "src/http-server.ts",
      chunks: [{ body: "listen(webSocket)" }, { doc: "opens ports" }],
    }),
    keywordFile(2, {
      path: "src/parse.ts",
      chunks: [{ body: "a b c", names: ["parseURL"] }, { body: "port = 80" }],
    }),
    keywordFile(3, { path: "docs/größe.md", chunks: [{ body: "Größe und Übergröße, café, 数据库" }] }),
  ]
  const index = open(files, new Set())

  describe(name, () => {
    test("matches a chunk that contains any of the words", () => {
      expect(index.matches("ports listening")).toEqual([
        "src/http-server.ts#0",
        "src/http-server.ts#1",
        "src/parse.ts#1",
      ])
    })

    test("matches a word in any case and inflection, in code, comments and names", () => {
      expect(index.matches("Opened")).toEqual(["src/http-server.ts#1"])
      expect(index.matches("url")).toEqual(["src/parse.ts#0"])
      expect(index.matches("80")).toEqual(["src/parse.ts#1"])
    })

    test("matches an identifier joined, separated and in any case", () => {
      for (const query of ["websocket", "web_socket", "WebSocket", "web socket"]) {
        expect(index.matches(query)).toEqual(["src/http-server.ts#0"])
      }
    })

    test("matches words beyond ASCII with and without accents", () => {
      for (const query of ["größe", "große", "ÜBERGRÖSSE größe", "cafe", "café", "数据"]) {
        expect(index.matches(query)).toEqual(["docs/größe.md#0"])
      }
    })

    test("matches nothing for an unknown word or an empty query", () => {
      expect(index.matches("zebra")).toEqual([])
      expect(index.matches("")).toEqual([])
    })

    test("does not find a deleted file", () => {
      expect(open(files, new Set([1])).matches("ports listening")).toEqual(["src/parse.ts#1"])
      expect(open(files, new Set([1, 2, 3])).matches("port")).toEqual([])
    })

    test("finds nothing without files", () => {
      expect(open([], new Set()).matches("port")).toEqual([])
    })
  })
}
