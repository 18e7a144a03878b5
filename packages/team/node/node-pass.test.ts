import { expect, test } from "bun:test"
import { makePass, readPass } from "./node-pass.ts"

const key = Buffer.alloc(48, 7)
const ada = { id: "1", name: "ada" }
const pass = makePass(ada, "a question", key, 1_000)

test("names the principal while it is valid", () => {
  expect(readPass(pass, "a question", key, 2_000)).toEqual(ada)
})

test("is refused for another body, with another key, after a minute, and with other claims", () => {
  const [, mac] = pass.split(".")
  const claims = Buffer.from(JSON.stringify({ id: "2", name: "eve", until: 1e15 })).toString("base64url")
  expect(readPass(pass, "another question", key, 2_000)).toBeNull()
  expect(readPass(pass, "a question", Buffer.alloc(48, 8), 2_000)).toBeNull()
  expect(readPass(pass, "a question", key, 62_000)).toBeNull()
  expect(readPass(`${claims}.${mac}`, "a question", key, 2_000)).toBeNull()
  for (const text of ["", ".", "e30.AAAA", pass.slice(0, -1)])
    expect(readPass(text, "a question", key, 2_000)).toBeNull()
})
