import { expect, test } from "bun:test"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"
import { startsOf } from "./symbol-places.ts"

/** Handlers whose framework, route and path below which the router is put, with a caller of the whole route. */
const ROUTES: readonly (readonly [framework: string, handler: string, route: string])[] = [
  ["Django", "item_list", "/dj/items/"],
  ["Django", "item_detail", "/dj/items/7/"],
  ["Django", "home", "/dj/"],
  ["Django", "extra_view", "/dj/more/extra/"],
  ["Django", "stock", "/dj/deep/stock/"],
  ["Django REST framework", "CartViewSet", "/drf/carts/"],
  ["Django", "things", "/inline/things/"],
  ["FastAPI", "list_people", "/fa/people/"],
  ["FastAPI", "one_person", "/fa/people/3"],
  ["FastAPI", "list_books", "/fb/books"],
  ["Flask", "logs_page", "/fl/logs"],
  ["Flask", "latest", "/news/latest"],
  ["Express", "listOrders", "/ex/orders"],
  ["Express", "rootOrders", "/ex/"],
  ["Express", "listLines", "/ex/lines/all"],
  ["Express", "listReturns", "/exr/returns"],
  ["Rails", "BillsController.show", "/ra/bills/1"],
  ["Rails", "BillsController.index", "/ra/bills"],
  ["Rails", "BillsController.preview", "/ra/bills/1/preview"],
  ["Rails", "BillsController.archive", "/ra/archive"],
  ["Rails", "SumsController.index", "/rs/sums"],
  ["Spring", "listWares", "/sp/wares"],
  ["Spring", "addWare", "/sp"],
  ["Nest", "findCats", "/nest/cats"],
  ["Nest", "rootCats", "/nest"],
  ["gin", "listPens", "/gin/v1/pens"],
  ["gin", "listInks", "/gin/inks"],
  ["chi", "listCups", "/chi/cups"],
  ["chi", "listFlat", "/chi/plates/flat"],
  ["axum", "list_cars", "/ax/cars"],
  ["axum", "list_vans", "/axv/vans"],
  ["axum", "list_roads", "/axr/roads"],
  ["Fastify", "listPipes", "/fy/pipes"],
  ["Hono", "listBricks", "/ho/walls/bricks"],
  ["Actix", "list_tiles", "/act/tiles"],
  ["Rocket", "list_doors", "/rk/doors"],
  ["ASP.NET", "SaveMugs", "/api/mugs/save"],
  ["ASP.NET", "ListMugs", "/api/Mugs"],
  ["ASP.NET", "DropMugs", "mugs/drop"],
]

const space = indexedOnce({
  "act/main.rs":
    '#[get("/tiles")]\nasync fn list_tiles() -> i32 { 1 }\n#[get("/doors")]\nasync fn list_doors() -> i32 { 1 }\nfn main() {\n    App::new().service(web::scope("/act").service(list_tiles));\n    rocket::build().mount("/rk", routes![list_doors]);\n}\n',
  "asp/BaseController.cs":
    '[ApiController]\n[Route("api/[controller]")]\npublic class ApiBase : ControllerBase { }\n',
  "asp/MugsController.cs":
    'public class MugsController : ApiBase\n{\n    [HttpPost("save")]\n    public int SaveMugs() { return 1; }\n\n    [HttpGet]\n    public int ListMugs() { return 1; }\n\n    [HttpPost("drop")]\n    public int DropMugs() { return 1; }\n}\n',
  "ax/main.rs":
    'mod roads;\nasync fn list_cars() {}\nasync fn list_vans() {}\nfn app() -> Router {\n    let vans = Router::new().route("/vans", get(list_vans));\n    Router::new()\n        .nest("/ax", Router::new().route("/cars", get(list_cars)))\n        .nest("/axv", vans)\n        .nest("/axr", roads::router())\n}\n',
  "ax/roads.rs":
    'async fn list_roads() {}\npub fn router() -> Router {\n    Router::new().route("/roads", get(list_roads))\n}\n',
  "dj/shop/__init__.py": "",
  "dj/shop/api/__init__.py": "",
  "dj/shop/api/urls.py":
    'from django.urls import path\nfrom shop import views\nurlpatterns = [path("stock/", views.stock), path("loop/", include("shop.urls"))]\n',
  "dj/shop/drf.py": "class CartViewSet:\n    pass\n\ndef things(request):\n    return None\n",
  "dj/shop/urls.py":
    'from django.urls import include, path, re_path\nfrom . import views\nextra = [\n    path("extra/", views.extra_view),\n]\nurlpatterns = [\n    path("items/", views.item_list),\n    re_path(r"^items/(?P<pk>\\d+)/$", views.item_detail),\n    path("", views.home),\n    path("more/", include(extra)),\n    path("deep/", include(("shop.api.urls", "api"), namespace="api")),\n]\n',
  "dj/shop/views.py":
    "def item_list(request):\n    return None\n\ndef item_detail(request, pk):\n    return None\n\ndef home(request):\n    return None\n\ndef extra_view(request):\n    return None\n\ndef stock(request):\n    return None\n",
  "dj/site/urls.py":
    'from django.urls import include, path\nfrom rest_framework import routers\nfrom shop import drf\n\nrouter = routers.DefaultRouter()\nrouter.register("carts", drf.CartViewSet)\n\nurlpatterns = [\n    path("dj/", include("shop.urls")),\n    path("drf/", include(router.urls)),\n    path(\n        "inline/",\n        include(\n            [\n                path("things/", drf.things),\n            ]\n        ),\n    ),\n]\n',
  "ex/app.js":
    'const express = require("express")\nconst orders = require("./routes/orders")\nconst app = express()\napp.use("/ex", orders)\napp.use("/exr", require("./routes/returns"))\n',
  "ex/routes/lines.js":
    'import { Router } from "express"\nexport const router = Router()\nexport function listLines(req, res) {}\nrouter.get("/all", listLines)\nexport default router\n',
  "ex/routes/orders.js":
    'const router = require("express").Router()\nconst lines = require("./lines")\nfunction listOrders(req, res) {}\nfunction rootOrders(req, res) {}\nrouter.get("/orders", listOrders)\nrouter.get("/", rootOrders)\nrouter.use("/lines", lines)\nmodule.exports = router\n',
  "ex/routes/returns.js":
    'const router = require("express").Router()\nfunction listReturns(req, res) {}\nrouter.get("/returns", listReturns)\nmodule.exports = router\n',
  "fa/main.py":
    'from fastapi import FastAPI\nfrom fa.routers import users\nfrom fa.routers.books import router as books_router\napp = FastAPI()\napp.include_router(users.router, prefix="/fa")\napp.include_router(\n    books_router,\n    prefix="/fb",\n)\n',
  "fa/routers/books.py":
    'from fastapi import APIRouter\nrouter = APIRouter()\n\n@router.get("/books")\nasync def list_books():\n    return []\n',
  "fa/routers/users.py":
    'from fastapi import APIRouter\nrouter = APIRouter(prefix="/people")\n\n@router.get("/")\nasync def list_people():\n    return []\n\n@router.get("/{pid}")\nasync def one_person(pid: int):\n    return []\n',
  "fl/admin.py":
    'from flask import Blueprint\nbp = Blueprint("admin", __name__)\n\n@bp.route("/logs")\ndef logs_page():\n    return ""\n',
  "fl/app.py":
    'from flask import Flask\nfrom fl.admin import bp\nfrom fl.news import news\napp = Flask(__name__)\napp.register_blueprint(bp, url_prefix="/fl")\napp.register_blueprint(news)\n',
  "fl/news.py":
    'from flask import Blueprint\nnews = Blueprint("news", __name__, url_prefix="/news")\n\n@news.route("/latest")\ndef latest():\n    return ""\n',
  "fy/app.ts":
    'import fastify from "fastify"\nimport pipes from "./pipes"\nconst app = fastify()\napp.register(pipes, { prefix: "/fy" })\n',
  "fy/pipes.ts":
    'export function listPipes() {}\nexport default async function pipes(fastify: any) {\n  fastify.get("/pipes", listPipes)\n}\n',
  "go/go.mod": "module example.com/go\n",
  "go/items/items.go":
    'package items\n\nfunc Register(rg *gin.RouterGroup) {\n\trg.GET("/inks", listInks)\n}\n\nfunc listInks() {}\n',
  "go/main.go":
    'package main\n\nimport (\n\t"example.com/go/items"\n)\n\nfunc main() {\n\tr := gin.Default()\n\tapi := r.Group("/gin")\n\tv1 := api.Group("/v1")\n\tv1.GET("/pens", listPens)\n\titems.Register(api)\n\tc := chi.NewRouter()\n\tc.Route("/chi", func(r chi.Router) {\n\t\tr.Get("/cups", listCups)\n\t\tr.Mount("/plates", platesRouter())\n\t})\n}\n\nfunc platesRouter() http.Handler {\n\tr := chi.NewRouter()\n\tr.Get("/flat", listFlat)\n\treturn r\n}\n\nfunc listPens() {}\nfunc listCups() {}\nfunc listFlat() {}\n',
  "ho/app.ts":
    'import { Hono } from "hono"\nimport { bricks } from "./bricks"\nconst app = new Hono().basePath("/ho")\napp.route("/walls", bricks)\nexport default app\n',
  "ho/bricks.ts":
    'import { Hono } from "hono"\nexport const listBricks = (c: any) => c.json([])\nexport const bricks = new Hono()\nbricks.get("/bricks", listBricks)\n',
  "nest/a.controller.ts":
    "@Controller('nest')\nexport class CatsController {\n  @Get('cats')\n  findCats() { return [] }\n  @Get()\n  rootCats() { return [] }\n}\n",
  "rails/app/controllers/api/bills_controller.rb":
    "class Ra::BillsController < ApplicationController\n  def show\n  end\n\n  def index\n  end\n\n  def preview\n  end\n\n  def archive\n  end\nend\n",
  "rails/app/controllers/sums_controller.rb":
    "class SumsController < ApplicationController\n  def index\n  end\nend\n",
  "rails/config/routes.rb":
    'Rails.application.routes.draw do\n  namespace :ra do\n    resources :bills, only: [:show, :index] do\n      get :preview, on: :member\n    end\n    get "/archive", to: "bills#archive"\n  end\n  scope "/rs" do\n    get "sums", to: "sums#index"\n  end\nend\n',
  "sp/A.java":
    '@RestController\n@RequestMapping("/sp")\nclass WareController {\n  @GetMapping("/wares")\n  String listWares() { return ""; }\n  @PostMapping\n  String addWare() { return ""; }\n}\n',
  ...Object.fromEntries(
    ROUTES.map(([, , route], at) => [
      `web/call${at}.ts`,
      `export function call${at}() {\n  return ${route.startsWith("/") ? "fetch(" : "this.httpClient.post<Mug>(BASE + "}"${route}")\n}\n`,
    ]),
  ),
})

test.each(ROUTES.map((each, at) => [...each, at] as const))(
  "%s: what calls the whole route of %s, %s, is a caller",
  async (_, handler, _route, at) => {
    const { related } = await space().json(["symbol", handler, "--callers"])
    const callers = related.map(({ name }: { name: string }) => name)
    expect(callers.filter((name: string) => name.startsWith("call"))).toEqual([`call${at}`])
  },
)

test.each([
  ["/dj/items/", "dj/shop/urls.py:7"],
  ["/dj/deep/stock", "dj/shop/api/urls.py:3"],
  ["/exr/returns", "ex/routes/returns.js:3"],
  ["/sp/wares", "sp/A.java:4"],
  ["/chi/plates/flat", "go/main.go:22"],
])("%s is declared where a router adds its end", async (route, place) => {
  const { definitions } = await space().json(["symbol", route])
  expect(startsOf(definitions)).toEqual([place])
})

test("a route below another path than that of its router is no caller and no declaration", async () => {
  const { stdout } = await space().run(["symbol", "/other/items/"])
  expect(stdout).not.toContain("dj/shop/urls.py")
})

test("a route is answered where each of many routers of one name leads to many others", async () => {
  const block = [
    'test("", () => {',
    ...["a", "b", "c", "d"].map((name) => `  const ${name}App = new Hono()`),
    '  dApp.get("/me", show)',
    ...["ab", "bc", "cd"].map(([one, other]) => `  ${one}App.route("/${one}", ${other}App)`),
    "})\n",
  ].join("\n")
  using tests = new Workspace({ "app.test.ts": `import { Hono } from "hono"\n${block.repeat(25)}` })
  await tests.json(["index"])
  const { definitions, notices } = await tests.json(["symbol", "/a/b/c/me"])
  expect(definitions[0]).toMatchObject({ path: "app.test.ts", start_line: 7 })
  expect(notices.join()).toContain("1 file with a part of the route were not read")
})
