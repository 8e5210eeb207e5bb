#!/usr/bin/env node
import { obeyTerminal } from './cli/terminal.ts'
import { trustSystem } from './device/trust.ts'
import { kinds } from './kinds.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `sdd-agent needs Node 22.13 or later, and this is Node ${process.versions.node}: update it\n`,
  )
  process.exit(1)
}
trustSystem()
await obeyTerminal(kinds)
