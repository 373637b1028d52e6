#!/usr/bin/env node
console.log("kindred");
