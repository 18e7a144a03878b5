import { expect, test } from "bun:test"
import { goArity } from "./written-types.ts"

test.each([
  ["Get() (*Settings, error)", "Get", "0:2"],
  ["func (s *Storage) Get(scope string, follow bool) (user *User, err error)", "Get", "2:2"],
  ["Save(Auther) error", "Save", "1:1"],
  ["Each(call func(a, b int) (int, error), rest ...string)", "Each", "2:0"],
  ["Move( from, to string, )", "Move", "2:0"],
  ["Read(from <-chan int, to string) error", "Read", "2:1"],
  ["Wait() <-chan struct{}", "Wait", "0:1"],
  ["Cut(from string, to", "Cut", null],
])("the numbers of parameters and results of %s", (signature, name, wanted) => {
  expect(goArity(signature, name)).toBe(wanted)
})
