import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const FILES: Readonly<Record<string, string>> = {
  "Counter.razor":
    '@page "/counter"\n<button @onclick="Increment">Click</button>\n\n@code {\n    [Parameter] public int Start { get; set; }\n\n    private void Increment()\n    {\n        Start++;\n    }\n}\n',
  "Index.cshtml": "@model Shop\n@functions {\n    public string FormatName(string s) { return s; }\n}\n",
  "view.blade.php":
    "@extends('layout')\n@php\nfunction priceOf($x) {\n    return $x;\n}\n@endphp\n<?php class Basket { public function add() { return 1; } } ?>\n",
  "page.jsp":
    '<%@ page language="java" %>\n<%!\n  private int hits = 0;\n  private String greet(String name) {\n    return name;\n  }\n%>\n<p><%= greet("x") %></p>\n',
  "report.Rmd":
    "# Intro\n\n```{r setup}\nclean_rows <- function(df) {\n  df\n}\n```\n\n```{python}\ndef load_rows(x):\n    return x\n```\n\n```python\ndef only_shown(x):\n    return x\n```\n",
  "post.mdx":
    "import { Chart } from './chart'\n\nexport function Callout({ children }) {\n  const a = 1\n\n  return <div>{children}</div>\n}\n\n# Title\n\n```js\nexport function shownOnly() {}\n```\n",
  "macros.j2": "{% macro render_input(name, value='') -%}\n  <input>\n{%- endmacro %}\n",
  "forms.html": "<html>\n{% macro html_field(name) %}\n  <input>\n{% endmacro %}\n</html>\n",
  "chart/_helpers.tpl":
    '{{- define "chart.fullname" -}}\n{{- if .Values.x }}a{{ end -}}\n{{- end }}\n\n{{- define "chart.labels" -}}\napp: a\n{{- end }}\n',
  "emp.pkb":
    "CREATE OR REPLACE PACKAGE BODY emp_mgmt AS\n  PROCEDURE hire_emp(p_name VARCHAR2) IS\n  BEGIN\n    NULL;\n  END hire_emp;\n\n  FUNCTION count_emp RETURN NUMBER IS\n  BEGIN\n    RETURN 1;\n  END;\nEND emp_mgmt;\n/\n",
  "api.proto":
    'syntax = "proto3";\nservice Orders {\n  rpc PlaceOrder (Request) returns (Reply);\n}\nmessage Request {\n  string id = 1;\n}\n',
  "schema.prisma": "model AppUser {\n  id Int @id\n}\n\nenum UserRole {\n  ADMIN\n}\n",
  "main.bicep":
    "param skuName string\nresource storage 'Microsoft.Storage/storageAccounts@2022-09-01' = {\n  name: skuName\n}\n",
  "Point.m":
    "classdef Point < handle\n  methods\n    function d = distanceTo(obj, other)\n      d = 1;\n    end\n  end\nend\n",
  "solve.m": "function [x, y] = solve_system(A, b)\n  x = A;\n  y = b;\nend\n",
  "Service.cls":
    "public with sharing class AccountService {\n    public static List<Account> getAccounts(String name) {\n        return null;\n    }\n    public class Failure extends Exception {}\n}\n",
  "thesis.cls": "\\ProvidesClass{thesis}\n\\newcommand{\\degree}[1]{#1}\n",
  "Sheet.cls":
    'VERSION 1.0 CLASS\nAttribute VB_Name = "Sheet"\nPublic Sub FillSheet(ByVal x As Integer)\nEnd Sub\n',
  "logic.v":
    "Require Import Arith.\nInductive tree : Type := Leaf | Node (n : nat).\nTheorem plus_swap : forall n, n = n.\nProof. reflexivity. Qed.\n",
  "adder.v": "module adder(input a, output s);\n  assign s = a;\nendmodule\n",
  "family.pl":
    ":- use_module(library(lists)).\nparent_of(tom, bob).\nparent_of(bob, ann).\ngrandparent(X, Z) :-\n    parent_of(X, Y).\n",
  "tool.pl": "use strict;\nsub run_tool { return 1; }\n",
  "Foo.m": '#import "Foo.h"\n@implementation Foo\n- (void)doIt { }\n@end\n',
}

const space = indexedOnce(FILES)

test.each([
  ["Counter.razor", "1 Counter, 5 Start, 7 Increment"],
  ["Index.cshtml", "3 FormatName"],
  ["view.blade.php", "3 priceOf, 7 Basket, 7 Basket.add"],
  ["page.jsp", "4 greet"],
  ["report.Rmd", "1 Intro, 4 clean_rows, 10 load_rows"],
  ["post.mdx", "3 Callout, 9 Title"],
  ["macros.j2", "1 render_input"],
  ["forms.html", "2 html_field"],
  ["chart/_helpers.tpl", "1 chart.fullname, 5 chart.labels"],
  ["emp.pkb", "1 emp_mgmt, 2 emp_mgmt.hire_emp, 7 emp_mgmt.count_emp"],
  ["api.proto", "2 Orders, 3 Orders.PlaceOrder, 5 Request, 6 Request.id"],
  ["schema.prisma", "1 AppUser, 2 AppUser.id, 5 UserRole, 6 UserRole.ADMIN"],
  ["main.bicep", "1 skuName, 2 storage"],
  ["Point.m", "1 Point, 3 Point.distanceTo"],
  ["solve.m", "1 solve_system"],
  ["Service.cls", "1 AccountService, 2 AccountService.getAccounts, 5 AccountService.Failure"],
  ["thesis.cls", "2 \\degree"],
  ["Sheet.cls", "3 FillSheet"],
  ["logic.v", "2 tree, 3 plus_swap"],
  ["adder.v", "1 adder"],
  ["family.pl", "2 parent_of, 4 grandparent"],
  ["tool.pl", "2 run_tool"],
  ["Foo.m", "2 Foo, 3 Foo.doIt"],
])("lists what %s defines", async (path, expected) => {
  const { outline } = await space().json(["symbol", "--outline", path])
  const found = outline.map((each: { start_line: number; name: string }) => `${each.start_line} ${each.name}`)
  expect(found.join(", ")).toBe(expected)
})

test("finds a method of a Razor page by its name, with its use in the markup", async () => {
  const { definitions, references } = await space().json(["symbol", "Increment", "--references"])
  expect(definitions).toMatchObject([{ path: "Counter.razor", start_line: 7 }])
  expect(references).toMatchObject([{ path: "Counter.razor", line: 2 }])
})
