import type { OxlintOverride } from 'oxlint'

/**
 * Which packages and libraries a file may import (docs/architecture.md), as lint errors. areas.ts rules imports inside
 * a package. lint/fixtures breaks each ban below, and lint/boundaries.test.ts checks that every breach is found.
 *
 * Patterns are Rust regular expressions: one with a lookaround or a back-reference silently matches nothing.
 */
export const SHARED_PACKAGES = ['contract', 'sms']
/** These packages know no product word and import no other package. */
export const ENGINE_PACKAGES = ['http', 'mqtt', 'storage']
export const OTHER_PACKAGES = ['server', 'console', 'simulator', 'agent', 'client', 'mcp']

/** Import specifiers that a folder may not use, and the alternative. */
type Ban = ({ regex: string } | { group: string[] }) & { message: string }

const CLIMBING =
  'Import from other folders by #server/… (or the own package’s prefix) or @sdd/…, never by ../'
const climbing: Ban = { regex: String.raw`(^|/)\.\.(/|$)`, message: CLIMBING }
const climbingButToScripts: Ban = {
  group: [
    '../**',
    './**/../**',
    '!../../scripts/*',
    '!../../../scripts/*',
    '!../../../../scripts/*',
    '!../../../../../scripts/*',
    '!../../../../../../scripts/*',
  ],
  message: CLIMBING,
}

const foreign = (packages: string[]): Ban => ({
  regex: `^@sdd/(${packages.join('|')})(/|$)`,
  message: 'A package imports no packages except @sdd/contract, @sdd/sms and engines',
})
/** An engine's tests import it by its package name. */
const othersOf = (engine: string): Ban => ({
  regex: `^@sdd/(${[...SHARED_PACKAGES, ...ENGINE_PACKAGES, ...OTHER_PACKAGES].filter((name) => name !== engine).join('|')})(/|$)`,
  message: 'An engine imports no other package of ours',
})
const environment: Ban = {
  regex: '^(node:)?process$',
  message: 'process is a global; only config.ts reads its env',
}

const httpEngine: Ban = { regex: '^@sdd/http(/|$)', message: "Only the server's core/http imports @sdd/http" }
const endpoint: Ban = {
  regex: '^@sdd/(storage(/|$)|mqtt/(endpoint|external)/)',
  message: 'Only the server imports engines; other packages import only the codec of @sdd/mqtt',
}
const mqttLibraries: Ban = {
  regex: '^(mqtt|ws)(/|$)',
  message: 'Only @sdd/mqtt knows the libraries of MQTT and WebSockets',
}
const otherCodec: Ban = { regex: '^mqtt-packet(/|$)', message: 'Only tests of @sdd/mqtt import mqtt-packet' }
const databases: Ban = {
  regex: '^(node:sqlite|pg)(/|$)',
  message: 'Only @sdd/storage opens SQLite and PostgreSQL',
}
const serialPort: Ban = { regex: '^@?serialport(/|$)', message: 'Only serial/ opens the serial port' }
const libraries = [httpEngine, mqttLibraries, databases]

const fetching: Ban = {
  regex: String.raw`^(#console/core/api(\.|/)|@tanstack/react-query$)`,
  message: 'ui does not fetch data',
}

const everywhere = [climbing, foreign(OTHER_PACKAGES), environment, otherCodec]
const outsideServer = [...everywhere, httpEngine, endpoint]

/** An override replaces the previous ones: each entry lists all its bans, and a narrower entry comes later. */
export const boundaries: OxlintOverride[] = [
  bans(['packages/*/scripts/**'], [climbing]),
  bans(['packages/*/src/**'], outsideServer),
  bans(
    ['packages/contract/**'],
    [
      climbing,
      {
        group: ['**', '!zod', '!zod/**', '!./**', '!@sdd/contract/**'],
        message: 'contract depends only on zod',
      },
    ],
  ),
  bans(['packages/sms/**'], [climbing, { group: ['**', '!./**'], message: 'sms depends on nothing' }]),
  ...ENGINE_PACKAGES.map((name) =>
    bans([`packages/${name}/src/**`], [climbing, othersOf(name), environment, otherCodec]),
  ),

  bans(['packages/server/src/**'], [...everywhere, ...libraries]),
  bans(
    ['packages/server/src/core/http/**'],
    [...everywhere, ...libraries.filter((ban) => ban !== httpEngine)],
  ),

  bans(['packages/console/src/ui/**'], [...outsideServer, fetching]),

  // Published by itself, so that it must not need the others.
  bans(
    ['packages/client/src/**'],
    [
      climbing,
      // Whatever begins neither with a dot nor with node:
      { regex: '^([^.n]|n[^o]|no[^d]|nod[^e]|node[^:])', message: 'client depends only on Node' },
    ],
  ),
  bans(
    ['packages/mcp/src/**'],
    [climbing, foreign(OTHER_PACKAGES.filter((name) => name !== 'client')), environment, endpoint],
  ),

  bans(['packages/agent/src/**'], [...outsideServer, serialPort]),
  bans(['packages/agent/src/serial/**'], outsideServer),

  // A test may import all of its own package, and the scripts that find a browser and build the console.
  bans(
    ['packages/*/src/**/*.test.{ts,tsx}', 'packages/*/test/**'],
    [foreign(OTHER_PACKAGES), otherCodec, climbingButToScripts],
  ),
  ...ENGINE_PACKAGES.map((name) =>
    bans(
      [`packages/${name}/src/**/*.test.ts`, `packages/${name}/test/**`],
      [othersOf(name), climbingButToScripts],
    ),
  ),
  // A client's tests start a server to talk to.
  bans(
    ['packages/{console,simulator}/src/**/*.test.{ts,tsx}', 'packages/{console,simulator}/test/**'],
    [foreign(OTHER_PACKAGES.filter((name) => name !== 'server')), climbingButToScripts],
  ),
]

/** A group with exceptions (`!…`) comes last, because later bans do not see its exceptions. */
function bans(files: string[], patterns: Ban[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}
