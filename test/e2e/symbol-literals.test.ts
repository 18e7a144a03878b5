import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"
import { placesIn, startsOf } from "./symbol-places.ts"

/** Services in several languages that share routes, variables, tables, a topic, a procedure and a key. */
const space = indexedOnce({
  "api/server.ts": 'app.get("/users/:id", showUser)\napp.post("/users/:id", saveUser)\n',
  "web/load.ts":
    "export const load = (id: string) => fetch(`${API}/users/${id}`)\nexport const key = process.env.SHOP_API_KEY\nexport const pay = () => client.payOrder({})\n",
  "web/pages/users/[id].tsx": "export default function Page() {\n  return null\n}\n",
  "py/urls.py": 'urlpatterns = [\n    path("users/<int:pk>/", views.show),\n]\n',
  "py/jobs.py":
    'import os\n\nKEY = os.environ["SHOP_API_KEY"]\n\n\nclass Order:\n    __tablename__ = "shop_orders"\n\n\nproducer.publish("order.paid", KEY)\n',
  "java/UserController.java":
    'class UserController {\n  @GetMapping("/users/{id}")\n  String show() { return ""; }\n  @Value("${shop.page.size}") int size;\n  @KafkaListener(topics = "order.paid")\n  void paid() {}\n  @Scheduled(cron = "0 0 * * * *")\n  void sweep() {}\n}\n',
  "java/shop.ini": "shop.page.size=20\n",
  "rails/config/routes.rb": 'Rails.application.routes.draw do\n  get "/users/:id", to: "users#show"\nend\n',
  "db/001.sql": "CREATE TABLE shop_orders (id INT);\nSELECT 1;\n",
  "go/list.go":
    "package shop\n\nconst list = `SELECT id FROM shop_orders`\n\ntype server struct{}\n\nfunc (s server) PayOrder() {}\n",
  "proto/shop.proto": 'syntax = "proto3";\nservice Shop {\n  rpc PayOrder(Order) returns (Order);\n}\n',
  Dockerfile: "FROM scratch\nENV SHOP_API_KEY=none\n",
  "notes.md": "The route `/users/42` is old.\n",
})

test.each<[string, declared: string[], used: string[]]>([
  [
    "/users/:id",
    [
      "api/server.ts:1",
      "api/server.ts:2",
      "java/UserController.java:2",
      "py/urls.py:2",
      "rails/config/routes.rb:2",
      "web/pages/users/[id].tsx:1",
    ],
    ["notes.md:1", "web/load.ts:1"],
  ],
  [
    "GET /users/{id}",
    [
      "api/server.ts:1",
      "java/UserController.java:2",
      "py/urls.py:2",
      "rails/config/routes.rb:2",
      "web/pages/users/[id].tsx:1",
    ],
    ["notes.md:1", "web/load.ts:1"],
  ],
  ["SHOP_API_KEY", ["Dockerfile:2"], ["py/jobs.py:3", "web/load.ts:2"]],
  ["shop_orders", ["db/001.sql:1"], ["go/list.go:3"]],
  ["order.paid", ["java/UserController.java:5"], ["py/jobs.py:10"]],
  ["shop.page.size", ["java/shop.ini:1"], ["java/UserController.java:4"]],
  ["PayOrder", ["go/list.go:7", "proto/shop.proto:3"], ["web/load.ts:3"]],
])("%s: where services declare and use it", async (name, declared, used) => {
  const { definitions, references, notices } = await space().json(["symbol", name, "--references"])
  expect(startsOf(definitions).sort()).toEqual(declared)
  expect(placesIn(references).sort()).toEqual(used)
  expect(notices.join()).toContain("found by its text")
})

test("a call of a route comes before its mentions, and an unknown name is still unknown", async () => {
  const { references } = await space().json(["symbol", "/users/7", "--references"])
  expect(references[0]).toMatchObject({ path: "web/load.ts", kind: "call" })
  const { code, stderr } = await space().run(["symbol", "no.such.key"])
  expect([code, stderr]).toEqual([1, expect.stringContaining("no definition")])
  const callers = await space().run(["symbol", "UserController.sweep", "--callers"])
  expect(callers.stderr).toContain("something outside of the code may call it: marked by an annotation")
})

const KEY = "SHOP_STOCK_LEVEL"

test("a text is found in a file that changed since, and not in files that the index leaves out", async () => {
  using shop = new Workspace({
    "main.py": `import os\n\nlevel = os.environ["${KEY}"]\nother = os.environ["${KEY}_TWO"]\n`,
    "main.test.js.snap": `exports[\`shop\`] = \`process.env.${KEY}\`\n`,
  })
  await using server = await connect(shop)
  const placesOf = async (name: string) => {
    const { structuredContent } = await server.call("symbol", { name, relation: "references" })
    return [structuredContent.notices[0], placesIn(structuredContent.references).sort()]
  }
  const note = expect.stringContaining("in the indexed files")
  expect(await placesOf(KEY)).toEqual([note, ["main.py:3"]])
  writeFileSync(join(shop.project, "main.py"), `import os\n\n\nlevel = os.environ["${KEY}"]\n`)
  expect(await placesOf(KEY)).toEqual([note, ["main.py:4"]])
  const missing = await server.call("symbol", { name: "SHOP_STOCK_LEVELS" })
  expect([missing.isError, missing.content[0]?.text]).toEqual([
    true,
    expect.stringContaining("no definition"),
  ])
})
