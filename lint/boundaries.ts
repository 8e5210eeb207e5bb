import type { OxlintOverride } from 'oxlint'

/**
 * Which packages and libraries a file may import (docs/architecture.md), as lint errors. Who may import whom inside a
 * package is in areas.ts. lint/fixtures breaks each ban below, and lint/boundaries.test.ts sees that every one is found.
 *
 * Patterns are Rust regular expressions: with a lookaround or a back-reference they match nothing, silently.
 */
export const SHARED_PACKAGES = ['contract', 'sms', 'mqtt']
export const OTHER_PACKAGES = ['server', 'console', 'simulator', 'agent']

/** Specifiers that a folder may not import, and what to do instead. */
type Ban = ({ regex: string } | { group: string[] }) & { message: string }

const CLIMBING =
  'Leave a folder by #server/…, #console/…, #agent/…, #simulator/…, #mqtt/… or @sdd/contract/…, never by ../'
const climbing: Ban = { regex: String.raw`(^|/)\.\.(/|$)`, message: CLIMBING }
const climbingButToScripts: Ban = {
  group: ['../**', './**/../**', '!../../scripts/*', '!../../../scripts/*'],
  message: CLIMBING,
}

const foreign = (packages: string[]): Ban => ({
  regex: `^@sdd/(${packages.join('|')})(/|$)`,
  message: 'A package imports no other package but @sdd/contract, @sdd/sms and @sdd/mqtt',
})
const environment: Ban = {
  regex: '^(node:)?process$',
  message: 'process is a global; only config.ts reads its env',
}

/** An engine knows no product word: it imports none of our packages but itself. */
const engine = (name: string, others: string[]): Ban => ({
  regex: `^@sdd/(${[...others, ...OTHER_PACKAGES].join('|')})(/|$)`,
  message: `@sdd/${name} imports no other package of ours`,
})

const framework: Ban = { regex: '^@?fastify(/|$)', message: 'Only core/http knows the HTTP framework' }
const mqttLibraries: Ban = {
  regex: '^(mqtt|ws)(/|$)',
  message: 'Only @sdd/mqtt knows the libraries of MQTT and WebSockets',
}
const otherCodec: Ban = { regex: '^mqtt-packet(/|$)', message: 'Only tests of @sdd/mqtt import mqtt-packet' }
const sqlBuilder: Ban = {
  regex: '^kysely(/|$)',
  message: 'Only database/, store.ts and *.store.ts know the SQL builder',
}
const sqlite: Ban = { regex: '^node:sqlite$', message: 'Only database/ opens SQLite' }
const postgres: Ban = { regex: '^pg(/|$)', message: 'Only database/ opens PostgreSQL' }
const serialPort: Ban = { regex: '^@?serialport(/|$)', message: 'Only serial/ opens the serial port' }
const libraries = [framework, mqttLibraries, sqlBuilder, sqlite, postgres]

const fetching: Ban = {
  regex: String.raw`^(#console/core/api(\.|/)|@tanstack/react-query$)`,
  message: 'ui knows no fetching',
}

const everywhere = [climbing, foreign(OTHER_PACKAGES), environment, otherCodec]

/** An override replaces the ones before it: each entry lists all its bans, and a narrower entry comes later. */
export const boundaries: OxlintOverride[] = [
  bans(['packages/*/scripts/**'], [climbing]),
  bans(['packages/*/src/**'], everywhere),
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
  bans(['packages/mqtt/src/**'], [climbing, environment, otherCodec, engine('mqtt', ['contract', 'sms'])]),

  bans(['packages/server/src/**'], [...everywhere, ...libraries]),
  bans(['packages/server/src/**/{store,*.store}.ts'], [...everywhere, ...without(sqlBuilder)]),
  bans(['packages/server/src/core/http{.ts,/**}'], [...everywhere, ...without(framework)]),
  bans(['packages/server/src/database/**'], [...everywhere, framework, mqttLibraries]),

  bans(['packages/console/src/ui/**'], [...everywhere, fetching]),

  bans(['packages/agent/src/**'], [...everywhere, serialPort]),
  bans(['packages/agent/src/serial/**'], everywhere),

  // A test reaches all of its own package, and the scripts that find a browser and build the console.
  bans(
    ['packages/*/src/**/*.test.{ts,tsx}', 'packages/*/test/**'],
    [foreign(OTHER_PACKAGES), otherCodec, climbingButToScripts],
  ),
  bans(
    ['packages/mqtt/src/**/*.test.ts', 'packages/mqtt/test/**'],
    [engine('mqtt', ['contract', 'sms']), climbingButToScripts],
  ),
  // A client's tests start a server to talk to.
  bans(
    ['packages/{console,simulator}/src/**/*.test.{ts,tsx}', 'packages/{console,simulator}/test/**'],
    [foreign(OTHER_PACKAGES.filter((name) => name !== 'server')), otherCodec, climbingButToScripts],
  ),
]

/** A group with exceptions (`!…`) comes last: the bans after it do not see what it excepts. */
function bans(files: string[], patterns: Ban[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

function without(lifted: Ban): Ban[] {
  return libraries.filter((ban) => ban !== lifted)
}
