import { expect, test } from "bun:test"
import { browserCommand } from "./open-browser.ts"

const PATH = "/home/a & b/ui/open-$(x).html"

test("names the program of each system, and none where no screen is", () => {
  expect(browserCommand(PATH, {}, "darwin")).toEqual(["open", PATH])
  expect(browserCommand(PATH, {}, "win32")).toEqual(["rundll32", "url.dll,FileProtocolHandler", PATH])
  expect(browserCommand(PATH, { DISPLAY: ":0" }, "linux")).toEqual(["xdg-open", PATH])
  expect(browserCommand(PATH, {}, "linux")).toBeNull()
})
