import { expect, test } from "bun:test"
import { complaintOf } from "./complaint.ts"

const sent = JSON.stringify({ model: "m", input: ["the secret plan of the project is to be quick"] })

test("a server's own words are passed on, in one short line", () => {
  expect(complaintOf(404, '{"error":"model \\"m\\" not found,\\n try pulling it"}', sent)).toBe(
    'does not have that model or address (404): model "m" not found, try pulling it',
  )
  expect(complaintOf(429, '{"error":{"message":"slow down","type":"rate"}}', sent)).toBe(
    "is asked too often (429): slow down",
  )
  expect(complaintOf(500, JSON.stringify({ error: "x".repeat(1000) }), sent).length).toBeLessThan(200)
})

test("what is no such answer is not shown", () => {
  for (const body of ["", "<html>", "[]", "null", '{"error":5}', '{"error":{"message":{}}}'])
    expect(complaintOf(500, body, sent)).toBe("answered with status 500")
})

test("neither the project's text nor the key is repeated", () => {
  const quoting = JSON.stringify({ error: "cannot embed 'the secret plan of the project is'" })
  expect(complaintOf(400, quoting, sent)).toBe("answered with status 400")
  expect(complaintOf(401, '{"error":{"message":"wrong key sk-1"}}', sent, "sk-1")).toBe(
    "wants a key, or another one (401)",
  )
})
