#!/usr/bin/env node
// Takes the place of the npm package `bun`, which works only after its install script: npm runs none here (.npmrc).
"use strict"
const { optionalDependencies } = require("./package.json")
const { launch } = require("./launch.cjs")

launch({
  program: "bun",
  prefix: "@oven/bun-",
  arch: process.arch === "arm64" ? "aarch64" : process.arch,
  packages: Object.keys(optionalDependencies),
})
