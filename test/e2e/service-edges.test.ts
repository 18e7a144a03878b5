import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/**
 * Services that are connected only by texts in their code: routes, a variable, a topic, a table, a remote procedure and
 * a field of GraphQL.
 */
const space = indexedOnce({
  "api/orders.ts": "export function showOrder(req: Request) {\n  return req\n}\n",
  "api/server.ts": 'import { showOrder } from "./orders"\n\napp.get("/orders/:id", showOrder)\n',
  "web/load.ts":
    "export function loadOrder(id: string) {\n  return fetch(`${API}/v1/orders/${id}`)\n}\n\nexport function listCarts() {\n  return client.query(gql`\n    query {\n      carts {\n        id\n      }\n    }\n  `)\n}\n",
  "java/InvoiceController.java":
    '@RestController\n@RequestMapping("/invoices")\nclass InvoiceController {\n  @GetMapping("/{id}/pdf")\n  String renderInvoice() {\n    return "";\n  }\n\n  @KafkaListener(topics = "order.paid")\n  void orderWasPaid() {\n    save();\n  }\n}\n',
  "py/billing.py":
    'import os\nimport requests\n\n\ndef fetch_invoice(number):\n    key = os.environ["SHOP_API_KEY"]\n    return requests.get(f"https://shop.example/invoices/{number}/pdf", key)\n\n\ndef announce_payment(producer):\n    producer.publish("order.paid", 1)\n\n\nclass ShopOrder:\n    __tablename__ = "shop_orders"\n',
  "db/001.sql": "CREATE TABLE shop_orders (id INT);\n",
  "go/pay.go":
    "package shop\n\ntype server struct{}\n\nfunc (s server) PayOrder(in *Order) error {\n\treturn nil\n}\n",
  "kt/Client.kt": "fun settle(client: Client) {\n    client.payOrder(order)\n}\n",
  "proto/shop.proto": 'syntax = "proto3";\nservice Shop {\n  rpc PayOrder(Order) returns (Order);\n}\n',
  "gql/schema.graphql": "type Query {\n  carts(limit: Int): [Cart]\n}\n",
  "gql/resolvers.ts":
    "export const resolvers = { Query: { carts: listAllCarts } }\nexport function listAllCarts() {\n  return []\n}\n",
  Dockerfile: "FROM scratch\nENV SHOP_API_KEY=none\n",
})

type Bundle = { files: { path: string; snippets: { text: string; why: string }[] }[] }

const sharedWith = async (name: string): Promise<string[]> => {
  const { files }: Bundle = await space().json(["context", "--", name])
  const found = files
    .flatMap(({ snippets }) => snippets)
    .find(({ why }) => why === `shares a text with ${name}`)
  return (found?.text ?? "").split("\n").map((line) => line.replace(/\): .*/, ")"))
}

test.each<[name: string, others: string[]]>([
  ["showOrder", ["web/load.ts:2 calls the route GET /orders/:id (possible)"]],
  ["loadOrder", ["api/server.ts:3 declares the route /orders/${id} (possible)"]],
  [
    "InvoiceController",
    [
      "py/billing.py:7 calls the route GET /invoices/{id}/pdf (possible)",
      "py/billing.py:11 sends the topic order.paid (possible)",
    ],
  ],
  [
    "fetch_invoice",
    [
      "Dockerfile:2 declares the environment variable SHOP_API_KEY (certain)",
      "java/InvoiceController.java:4 declares the route GET /invoices/{number}/pdf (certain)",
    ],
  ],
  ["announce_payment", ["java/InvoiceController.java:9 receives the topic order.paid (possible)"]],
  ["ShopOrder", ["db/001.sql:1 declares the table shop_orders (certain)"]],
  [
    "server.PayOrder",
    [
      "proto/shop.proto:3 declares the remote procedure PayOrder (certain)",
      "kt/Client.kt:2 calls the remote procedure PayOrder (possible)",
    ],
  ],
  [
    "settle",
    [
      "proto/shop.proto:3 declares the remote procedure PayOrder (certain)",
      "go/pay.go:5 uses the remote procedure PayOrder (possible)",
    ],
  ],
  ["listCarts", ["gql/schema.graphql:2 declares the GraphQL field carts (certain)"]],
])("context for %s names the other side of its texts", async (name, others) => {
  expect(await sharedWith(name)).toEqual(others)
})
