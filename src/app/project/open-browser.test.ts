import { expect, test } from "bun:test"
import { browserCommand } from "./open-browser.ts"

const URL = "http://127.0.0.1:1/?token=a&b=$(x)"

test("names the program of each system, and none where no screen is", () => {
  expect(browserCommand(URL, {}, "darwin")).toEqual(["open", URL])
  expect(browserCommand(URL, {}, "win32")).toEqual(["rundll32", "url.dll,FileProtocolHandler", URL])
  expect(browserCommand(URL, { DISPLAY: ":0" }, "linux")).toEqual(["xdg-open", URL])
  expect(browserCommand(URL, {}, "linux")).toBeNull()
})
