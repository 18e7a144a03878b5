import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"
import { placesIn } from "./symbol-places.ts"

const FILES: Readonly<Record<string, string>> = {
  "py/downloads.py":
    "class Downloader:\n    def start(self):\n        return 1\n\n    def stop(self):\n        return 2\n\n\nclass Slow(Downloader):\n    def wait(self):\n        return 3\n",
  "py/use.py":
    "def joins(worker):\n    worker.start()\n    worker.join_all()\n\n\ndef stops(worker):\n    worker.start()\n    worker.stop()\n\n\ndef waits(worker):\n    worker.start()\n    worker.wait()\n\n\ndef rebinds(one, other):\n    worker = one[0]\n    worker.start()\n    worker = other[0]\n    worker.join_all()\n",
  "py/open.py":
    "from library import Base\n\n\nclass Remote(Base):\n    def fetch_rows(self):\n        return 1\n\n\nclass Proxy:\n    def __getattr__(self, name):\n        return name\n\n    def ask_rows(self):\n        return 1\n",
  "py/open_use.py":
    "def remote(each):\n    each.fetch_rows()\n    each.other_rows()\n\n\ndef proxy(each):\n    each.ask_rows()\n    each.other_rows()\n",
  "ts/redis.ts":
    "export class Cache {\n  fetchOne(key: string) {\n    return key\n  }\n  dropOne(key: string) {\n    return key\n  }\n}\n",
  "ts/use.ts":
    "export function tests(page: any) {\n  page.fetchOne('a').click()\n  page.visit('/login')\n}\nexport function caches(store: any) {\n  store.fetchOne('a')\n  store.dropOne('a')\n  store.toString()\n}\n",
}

const OUTSIDE: Readonly<Record<string, string>> = {
  "py/loader.py":
    "class Loader:\n    def load_it(self):\n        return 1\n\n\nclass Other:\n    def load_it(self):\n        return 2\n",
  "py/outside.py":
    "import json\nimport threading\nfrom library import Session\nfrom rows import Rows\n\n\ndef loads(handle, rows: Rows):\n    json.load_it(handle)\n    threading.local.load_it()\n    made = Session()\n    made.load_it()\n    thread = threading.Thread()\n    thread.load_it()\n    rows.load_it()\n    handle.load_it()\n",
  "ts/library.ts":
    'import { client } from "library"\nimport type { Client } from "library"\nexport function take(given: Client, open: any) {\n  client.load_it()\n  given.load_it()\n  page.load_it()\n  open.load_it()\n}\n',
  "ts/loader.ts": "export class TsLoader {\n  load_it() {}\n}\nexport class TsOther {\n  load_it() {}\n}\n",
}

const space = indexedOnce({ ...FILES, ...OUTSIDE })

/** Places that may be uses of the name: listed as such, or not decided. */
async function undecided(name: string): Promise<string[]> {
  const { references, unresolved } = await space().json(["symbol", name, "--references"])
  return placesIn([...references, ...unresolved.places]).toSorted()
}

test("a member of a value is not undecided if the type lacks another member that is called on the value", async () => {
  expect(await undecided("Downloader.start")).toEqual(["py/use.py:12", "py/use.py:18", "py/use.py:7"])
  expect(await undecided("Cache.fetchOne")).toEqual(["ts/use.ts:6"])
})

test("a member stays undecided if the type may have members that are not known", async () => {
  expect(await undecided("Remote.fetch_rows")).toEqual(["py/open_use.py:2"])
  expect(await undecided("Proxy.ask_rows")).toEqual(["py/open_use.py:7"])
})

test("a member of what a library made, or of a name that leads out of the project, is not undecided", async () => {
  expect(await undecided("Loader.load_it")).toEqual(["py/outside.py:15"])
  expect(await undecided("TsLoader.load_it")).toEqual(["ts/library.ts:7"])
})
