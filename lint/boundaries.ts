import type { OxlintOverride } from 'oxlint'

/**
 * Which packages and libraries a file may import (docs/architecture.md), as lint errors. Who may import whom inside a
 * package is in areas.ts. lint/fixtures breaks each ban below, and lint/boundaries.test.ts sees that every one is found.
 *
 * Patterns are Rust regular expressions: with a lookaround or a back-reference they match nothing, silently.
 */
export const SHARED_PACKAGES = ['contract', 'sms']
/** They know no product word, and import no other package. */
export const ENGINE_PACKAGES = ['http']
export const OTHER_PACKAGES = ['server', 'console', 'simulator', 'agent']

/** Specifiers that a folder may not import, and what to do instead. */
type Ban = ({ regex: string } | { group: string[] }) & { message: string }

const CLIMBING =
  'Leave a folder by #server/…, #console/…, #agent/…, #simulator/… or @sdd/contract/…, never by ../'
const climbing: Ban = { regex: String.raw`(^|/)\.\.(/|$)`, message: CLIMBING }
const climbingButToScripts: Ban = {
  group: ['../**', './**/../**', '!../../scripts/*', '!../../../scripts/*'],
  message: CLIMBING,
}

const foreign = (packages: string[]): Ban => ({
  regex: `^@sdd/(${packages.join('|')})(/|$)`,
  message: 'A package imports no other package but @sdd/contract and @sdd/sms',
})
const environment: Ban = {
  regex: '^(node:)?process$',
  message: 'process is a global; only config.ts reads its env',
}

const ownPackages: Ban = {
  regex: '^@sdd/',
  message: 'An engine imports no other package of ours',
}
const httpEngine: Ban = { regex: '^@sdd/http(/|$)', message: "Only the server's core/http imports @sdd/http" }
const brokerParts: Ban = {
  regex: '^(mqtt|mqtt-packet|ws)(/|$)',
  message: 'Only core/broker knows MQTT and WebSockets',
}
const sqlBuilder: Ban = {
  regex: '^kysely(/|$)',
  message: 'Only database/, store.ts and *.store.ts know the SQL builder',
}
const sqlite: Ban = { regex: '^node:sqlite$', message: 'Only database/ opens SQLite' }
const postgres: Ban = { regex: '^pg(/|$)', message: 'Only database/ opens PostgreSQL' }
const serialPort: Ban = { regex: '^@?serialport(/|$)', message: 'Only serial/ opens the serial port' }
const libraries = [httpEngine, brokerParts, sqlBuilder, sqlite, postgres]

const fetching: Ban = {
  regex: String.raw`^(#console/core/api(\.|/)|@tanstack/react-query$)`,
  message: 'ui knows no fetching',
}

const everywhere = [climbing, foreign(OTHER_PACKAGES), environment]
const outsideServer = [...everywhere, httpEngine]

/** An override replaces the ones before it: each entry lists all its bans, and a narrower entry comes later. */
export const boundaries: OxlintOverride[] = [
  bans(['packages/*/scripts/**'], [climbing]),
  bans(['packages/*/src/**'], outsideServer),
  bans(
    ['packages/contract/**'],
    [
      climbing,
      {
        group: ['**', '!zod', '!zod/**', '!./**', '!@sdd/contract/**'],
        message: 'contract depends on zod alone',
      },
    ],
  ),
  bans(['packages/sms/**'], [climbing, { group: ['**', '!./**'], message: 'sms depends on nothing' }]),

  bans(['packages/http/**'], [climbing, ownPackages, environment]),

  bans(['packages/server/src/**'], [...everywhere, ...libraries]),
  bans(['packages/server/src/**/{store,*.store}.ts'], [...everywhere, ...without(sqlBuilder)]),
  bans(['packages/server/src/core/http/**'], [...everywhere, ...without(httpEngine)]),
  bans(['packages/server/src/core/broker/**'], [...everywhere, ...without(brokerParts)]),
  bans(['packages/server/src/database/**'], [...everywhere, httpEngine, brokerParts]),

  bans(['packages/console/src/ui/**'], [...outsideServer, fetching]),

  bans(['packages/agent/src/**'], [...outsideServer, serialPort]),
  bans(['packages/agent/src/serial/**'], outsideServer),

  // A test reaches all of its own package, and the scripts that find a browser and build the console.
  bans(
    ['packages/*/src/**/*.test.{ts,tsx}', 'packages/*/test/**'],
    [foreign(OTHER_PACKAGES), climbingButToScripts],
  ),
  bans(['packages/http/src/**/*.test.ts'], [climbing, ownPackages]),
  // A client's tests start a server to talk to.
  bans(
    ['packages/{console,simulator}/src/**/*.test.{ts,tsx}', 'packages/{console,simulator}/test/**'],
    [foreign(OTHER_PACKAGES.filter((name) => name !== 'server')), climbingButToScripts],
  ),
]

/** A group with exceptions (`!…`) comes last: the bans after it do not see what it excepts. */
function bans(files: string[], patterns: Ban[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

function without(lifted: Ban): Ban[] {
  return libraries.filter((ban) => ban !== lifted)
}
