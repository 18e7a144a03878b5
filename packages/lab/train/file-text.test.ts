import { expect, test } from "bun:test"
import { nameText } from "../../encoder/index.ts"
import { fileText, headComment } from "./file-text.ts"

test("the text of a file is its path, its first comment and its names in words", () => {
  const names = [{ name: "BounceHandler" }, { name: "bounce_handler" }, { name: "isBlocked" }]
  expect(fileText("a/b/app/mail/bounceList.ts", "Addresses\n that failed.", names)).toBe(
    "b / app / mail / bounce list. Addresses that failed.. bounce handler, is blocked",
  )
  expect(nameText("parseHTTPHeader")).toBe("parse http header")
})

for (const [text, comment] of [
  ["#!/bin/sh\n\n# Sends mail.\n# Twice.\nsend\n# not this\n", "Sends mail. Twice."],
  ["<?php\n/**\n * Sends mail.\n */\nclass A {}\n", "Sends mail."],
  ['"""Sends mail."""\nimport os\n', "Sends mail."],
  ["// Copyright 2020 by Somebody\n// Sends mail.\nx\n", ""],
  ["#include <mail.h>\nint x;\n", ""],
  ["const a = 1\n", ""],
  ["\n\n\n", ""],
] as const)
  test(`the comment at the start of ${JSON.stringify(text)} is ${JSON.stringify(comment)}`, () => {
    expect(headComment(text)).toBe(comment)
  })
