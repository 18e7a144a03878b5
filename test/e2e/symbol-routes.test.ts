import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** Handlers of frameworks, and what reaches them only through a route or its name. */
const space = indexedOnce({
  "shop/views.py":
    "from django.shortcuts import redirect\n\n\ndef order_detail(request, pk):\n    return None\n\n\nclass CartView:\n    pass\n\n\ndef save_order(request):\n    return redirect('shop:order-detail', pk=1)\n",
  "shop/urls.py":
    'from . import views\n\nurlpatterns = [\n    path("orders/<int:pk>/", views.order_detail, name="order-detail"),\n    path(\n        "cart/",\n        views.CartView.as_view(),\n        name="cart",\n    ),\n]\n',
  "shop/models.py":
    'from django.urls import reverse\n\n\ndef url_of(order):\n    return reverse("order-detail", args=[order])\n',
  "shop/templates/list.html":
    "<a href=\"{% url 'shop:order-detail' order.pk %}\">order</a>\n<a href='{% url \"cart\" %}'>cart</a>\n",
  "flask/app.py":
    '@app.route("/help")\ndef help_page():\n    return ""\n\n\n@app.route("/old-help")\ndef old_help():\n    return redirect(url_for("help_page"))\n',
  "rails/app/controllers/invoices_controller.rb":
    "class InvoicesController < ApplicationController\n  def show\n  end\n\n  def archive\n  end\n\n  def preview\n  end\nend\n",
  "rails/config/routes.rb":
    'Rails.application.routes.draw do\n  resources :invoices, only: [:show]\n  post "/archive", to: "invoices#archive"\nend\n',
  "spring/src/main/java/StockController.java":
    '@RestController\n@RequestMapping("/stock")\nclass StockController {\n  @GetMapping("/{id}")\n  String readStock() {\n    return "";\n  }\n}\n',
  "web/stock.ts": "export function loadStock(id: string) {\n  return fetch(`/stock/${id}`)\n}\n",
  "express/users.js":
    'function showUser(req, res) {}\nfunction showMyself(req, res) {}\napp.get("/users/me", showMyself)\napp.get("/users/:id", showUser)\n',
  "web/users.ts":
    "export function loadUser(id: string) {\n  return fetch(`/users/${id}`)\n}\nexport function loadMyself() {\n  return fetch('/users/me')\n}\nexport function loadRoot() {\n  return fetch('/users/root')\n}\n",
  "next/pages/api/prices.ts": "export default function handlePrices() {\n  return 1\n}\n",
  "next/lib/prices.ts": 'export async function readPrices() {\n  return fetch("/api/prices")\n}\n',
  "next/app/api/taxes/route.ts": "export async function POST() {\n  return 1\n}\n",
  "next/lib/taxes.ts":
    'export async function sendTaxes() {\n  return fetch("/api/taxes", { method: "POST" })\n}\n',
})

const placesOf = async (name: string, relation: string) => {
  const { stdout } = await space().run(["symbol", name, relation, "--json"])
  const { references, related } = JSON.parse(stdout)
  return [
    ...related.map(({ path, name: caller }: { path: string; name: string }) => `${path} ${caller}`),
    ...references.map(({ path, line }: { path: string; line: number }) => `${path}:${line}`),
  ].sort()
}

test.each<[framework: string, name: string, callers: string[]]>([
  [
    "Django",
    "order_detail",
    ["shop/models.py url_of", "shop/templates/list.html:1", "shop/urls.py:4", "shop/views.py save_order"],
  ],
  ["Django", "CartView", ["shop/templates/list.html:2", "shop/urls.py:7"]],
  ["Flask", "help_page", ["flask/app.py old_help"]],
  ["Rails", "InvoicesController.show", ["rails/config/routes.rb:2"]],
  ["Rails", "InvoicesController.archive", ["rails/config/routes.rb:3"]],
  ["Rails", "InvoicesController.preview", []],
  ["Spring", "StockController.readStock", ["web/stock.ts loadStock"]],
  ["Express", "showUser", ["express/users.js:4", "web/users.ts loadRoot", "web/users.ts loadUser"]],
  ["Express", "showMyself", ["express/users.js:3", "web/users.ts loadMyself"]],
  ["Next.js", "handlePrices", ["next/lib/prices.ts readPrices"]],
  ["Next.js", "POST", ["next/lib/taxes.ts sendTaxes"]],
])("%s: what reaches %s through its route or its name is a caller", async (_, name, callers) => {
  expect(await placesOf(name, "--callers")).toEqual(callers)
})

test("references list the lines that name a route", async () => {
  expect(await placesOf("order_detail", "--references")).toEqual([
    "shop/models.py:5",
    "shop/templates/list.html:1",
    "shop/urls.py:4",
    "shop/views.py:13",
  ])
  const { notices } = await space().json(["symbol", "order_detail", "--references"])
  expect(notices.join()).toContain("3 places found by the route or topic that it handles")
})
