import { expect, test } from "bun:test"
import { firstCheckName } from "./command-name.ts"

const NAMES: readonly (readonly [string, string | null])[] = [
  ["npm test", "npm test"],
  ["npm run test:unit -- --watch=false", "npm test:unit"],
  ["cd app && CI=1 timeout 60 cargo test --all 2>&1 | tail -5", "cargo test"],
  ["npx vitest run", "vitest"],
  ["pnpm exec jest src", "jest"],
  ["pnpm run build", "pnpm build"],
  ["uv run pytest -q", "pytest"],
  ["python3 -m pytest tests", "pytest"],
  ["./gradlew check", "gradlew check"],
  ["make -j8 all", "make all"],
  ["cmake --build build", "cmake --build"],
  ["xcodebuild -scheme App", "xcodebuild"],
  ["swiftc main.swift", "swiftc"],
  ["go vet ./...", "go vet"],
  ["(cd app && npm test)", "npm test"],
  ["npm install", null],
  ["git commit -m 'cargo test passes'", null],
  ["echo test", null],
  ["cargo run", null],
  ["", null],
]

test.each(NAMES)("%s is %p", (command, name) => {
  expect(firstCheckName(command)).toBe(name)
})
