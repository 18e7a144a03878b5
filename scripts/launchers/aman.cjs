#!/usr/bin/env node
// bin/aman.cjs of the npm package (scripts/npm-packages.ts).
"use strict"
const packages = Object.keys(require("../package.json").optionalDependencies)
const { launch } = require("./launch.cjs")

launch({ program: "aman", prefix: /^.*\/aman-/.exec(packages[0])[0], arch: process.arch, packages })
