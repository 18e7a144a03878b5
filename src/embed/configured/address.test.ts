import { expect, test } from "bun:test"
import fc from "fast-check"
import { AmanError } from "../../base/errors.ts"
import { parseAddress } from "./address.ts"

test("every form of OLLAMA_HOST", () => {
  const forms: Record<string, string> = {
    "": "http://127.0.0.1:11434",
    "  ": "http://127.0.0.1:11434",
    localhost: "http://localhost:11434",
    "example.com": "http://example.com:11434",
    "example.com:56789": "http://example.com:56789",
    ":8080": "http://127.0.0.1:8080",
    "192.168.1.5": "http://192.168.1.5:11434",
    "http://example.com": "http://example.com",
    "https://example.com/": "https://example.com",
    "https://example.com:8443/ollama/": "https://example.com:8443/ollama",
    "[::1]": "http://[::1]:11434",
    "[::1]:99": "http://[::1]:99",
    "::1": "http://[::1]:11434",
    '"127.0.0.1:1234"': "http://127.0.0.1:1234",
    "0.0.0.0": "http://127.0.0.1:11434",
    "0.0.0.0:80": "http://127.0.0.1",
    "[::]:7000": "http://127.0.0.1:7000",
  }
  for (const [written, url] of Object.entries(forms)) {
    expect([written, parseAddress(written, "OLLAMA_HOST").url]).toEqual([written, url])
  }
})

test("only this machine is loopback", () => {
  const local = ["", "localhost:1", "127.0.0.1", "127.9.9.9", "[::1]:5", "0.0.0.0", "http://localhost/api"]
  const other = ["example.com", "127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "[fe80::1]"]
  for (const written of local)
    expect([written, parseAddress(written, "x").isLoopback]).toEqual([written, true])
  for (const written of other)
    expect([written, parseAddress(written, "x").isLoopback]).toEqual([written, false])
})

test("a password goes to the server and is never shown", () => {
  const address = parseAddress("http://me:secret@localhost:9/x", "x")
  expect(address.url).toBe("http://me:secret@localhost:9/x")
  expect(address.shown).toBe("http://localhost:9/x")
})

test("whatever else is written is an address or a clear error, and the error does not repeat it", () => {
  expect(() => parseAddress("ftp://example.com", "OLLAMA_HOST")).toThrow("OLLAMA_HOST is no address")
  fc.assert(
    fc.property(fc.string(), (written) => {
      try {
        const { url } = parseAddress(written, "OLLAMA_HOST")
        expect(parseAddress(url, "OLLAMA_HOST").url).toBe(url)
      } catch (error) {
        expect(error).toBeInstanceOf(AmanError)
        expect((error as Error).message).toBe("OLLAMA_HOST is no address of a server")
      }
    }),
  )
})
