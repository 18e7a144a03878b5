import { expect, test } from "bun:test"
import { isBundledLibrary } from "./vendored.ts"

test.each([
  ...[
    "public/js/jquery.js",
    "jquery-3.7.js",
    "jquery-ui.min.css",
    "jquery.validate.unobtrusive.js",
    "js/d3.v7.js",
  ],
  ...[
    "css/bootstrap.css",
    "bootstrap-theme.css",
    "normalize.css",
    "font-awesome.css",
    "knockout-3.5.1.debug.js",
  ],
  ...[
    "gradlew",
    "mvnw.cmd",
    "configure",
    "build-aux/config.guess",
    "m4/libtool.m4",
    "lib/sqlite3.c",
    "stb_image.h",
  ],
])("%s is a copy of somebody's library", (path) => expect(isBundledLibrary(path)).toBe(true))

test.each([
  ...["src/react.js", "routes.v1.js", "src/angular.ts", "lib/jquery_helper.rb", "prototype.js", "animate.ts"],
  ...[
    "configure.ts",
    "scripts/configure.py",
    "chart.js",
    "migrations/1.2.3.sql",
    "bootstrap.ts",
    "src/bootstrap/a.js",
  ],
])("%s may well be the project's own", (path) => expect(isBundledLibrary(path)).toBe(false))
