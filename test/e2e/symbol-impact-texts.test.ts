import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** A function that only a handler calls, a table and a topic, with what uses them by their texts alone. */
const space = indexedOnce({
  "shop/prices.py": "def price_of(item):\n    return 1\n",
  "shop/views.py":
    "from shop.prices import price_of\n\n\ndef show_item(request, pk):\n    return price_of(pk)\n",
  "shop/urls.py":
    'from django.urls import path\nfrom . import views\n\nurlpatterns = [\n    path("items/<int:pk>/", views.show_item),\n]\n',
  "site/urls.py":
    'from django.urls import include, path\n\nurlpatterns = [\n    path("api/", include("shop.urls")),\n]\n',
  "web/item.ts":
    "export function loadItem(id: string) {\n  return fetch(`/api/items/${id}/`)\n}\nexport function drawItem() {\n  return loadItem('1')\n}\n",
  "web/other.ts": "export function loadOther(id: string) {\n  return fetch(`/v2/items/${id}/`)\n}\n",
  "tests/test_items.py":
    'def test_item(client):\n    assert client.get("/api/items/1/").status_code == 200\n',
  "py/models.py": 'class ShopOrder:\n    __tablename__ = "shop_orders"\n',
  "py/report.py":
    'def report(db):\n    return db.execute("SELECT id FROM shop_orders")\n\n\ndef print_report(db):\n    return report(db)\n',
  "java/OrderListener.java":
    'class OrderListener {\n  @KafkaListener(topics = "order.paid")\n  void orderWasPaid() {\n    save();\n  }\n}\n',
  "py/pay.py": 'def pay(producer):\n    producer.publish("order.paid", 1)\n',
})

type Related = { path: string; name: string; depth: number; certainty: string }

const affectedBy = async (name: string, ...options: string[]) => {
  const { related, tests, files } = await space().json(["symbol", name, ...options])
  return {
    related: related.map(({ name: each, depth }: Related) => `${depth} ${each}`),
    ...{ tests, files },
  }
}

test("impact goes from a handler to what calls its route, and on", async () => {
  expect(await affectedBy("price_of", "--impact")).toEqual({
    related: ["1 show_item", "2 urlpatterns", "2 test_item", "2 loadItem", "3 drawItem"],
    tests: ["tests/test_items.py"],
    files: ["shop/urls.py", "shop/views.py", "web/item.ts"],
  })
  const { stdout } = await space().run(["symbol", "price_of", "--impact"])
  expect(stdout).toMatch(/loadItem at 2 possible/)
  expect(stdout).toContain("shop/urls.py:4  variable urlpatterns at 5 certain")
})

test("callers over several steps go through a route", async () => {
  const { related } = await affectedBy("price_of", "--callers", "--depth", "3")
  expect(related).toEqual(["1 show_item", "2 test_item", "2 loadItem", "3 drawItem"])
})

test("impact of a type goes to the statements that use its table", async () => {
  expect((await affectedBy("ShopOrder", "--impact")).related).toEqual(["1 report", "2 print_report"])
})

test("impact of a listener goes to what sends its topic", async () => {
  expect((await affectedBy("orderWasPaid", "--impact")).related).toEqual(["1 pay"])
})
