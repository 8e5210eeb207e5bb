import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** The areas of server, contract and console: a file imports only its own area and earlier ones, types included. */
const AREAS = 'core accounts fleet messages dispatch tasks people outward insight app'.split(' ')

const WITH_AREAS = ['server', 'contract', 'console']

/** Folders outside the areas. They know no product word and rank with core. */
const WITH_CORE: Record<string, string> = { server: 'database', console: 'ui' }

/**
 * Files of a noun that other folders may import, and which folders: stores of rows that several nouns write, and parts
 * of the console that several screens show.
 */
export const SHARED: Record<string, string[]> = {
  'server/core/replicas/store.ts': ['fleet/presence'],
  'server/accounts/users/store.ts': ['accounts/user-editing'],
  'server/fleet/devices/store.ts': [
    'fleet/linking',
    'fleet/presence',
    'fleet/sims',
    'fleet/transport',
    'messages/keywords',
    'people/conversations',
  ],
  'server/fleet/devices/capacity.store.ts': ['dispatch', 'fleet/linking', 'fleet/sims'],
  'server/fleet/devices/presence.store.ts': ['fleet/linking', 'fleet/presence'],
  'server/messages/messages/counters.store.ts': ['messages/inbox'],
  'server/messages/messages/reported.store.ts': ['dispatch/reports'],
  'server/messages/messages/store.ts': [
    'messages/inbox',
    'dispatch',
    'tasks',
    'people/campaigns',
    'people/conversations',
    'outward/doors',
    'insight/log',
  ],
  'server/messages/messages/senders.store.ts': ['people/conversations', 'insight/log'],
  'server/messages/inbox/store.ts': ['dispatch/reports'],
  'server/dispatch/lanes/store.ts': ['dispatch/claim', 'dispatch/why-waiting', 'tasks'],
  'console/accounts/auth/sign-out.ts': ['accounts/account'],
  'console/accounts/api-keys/calls.ts': ['fleet/routes', 'outward/callbacks'],
  'console/accounts/settings/calls.ts': ['fleet/limits'],
  'console/accounts/settings/unsaved.tsx': ['accounts/quotas', 'messages/destinations'],
  'console/fleet/devices/device-actions.tsx': ['fleet/limits'],
  'console/fleet/devices/find.ts': ['messages/messages'],
  'console/messages/messages/device-chooser.tsx': ['people/conversations'],
  'console/messages/messages/message-ref.ts': [
    'tasks',
    'people/conversations',
    'outward/callbacks',
    'insight/device-detail',
    'insight/log',
  ],
  'console/messages/messages/text-counter.tsx': [
    'messages/keywords',
    'people/conversations',
    'people/templates',
  ],
  'console/messages/opt-outs/calls.ts': ['people/conversations'],
  'console/messages/opt-outs/lift-dialog.tsx': ['people/conversations'],
  'console/people/contacts/contact-dialog.tsx': ['people/conversations'],
  'console/people/templates/template-chooser.tsx': ['people/campaigns', 'people/conversations'],
  'console/people/templates/templates-tab.tsx': ['people/contacts'],
  'console/people/csv/batch.ts': ['people/campaigns', 'people/contacts'],
  'console/people/csv/column-list.tsx': ['people/campaigns', 'people/contacts'],
  'console/people/csv/csv-source.tsx': ['people/campaigns', 'people/contacts'],
  'console/people/csv/instant.ts': ['people/campaigns', 'people/contacts'],
  'console/people/csv/mapping.ts': ['people/campaigns', 'people/contacts'],
  'console/people/csv/parse.ts': ['people/contacts'],
  'console/people/csv/use-csv.ts': ['people/campaigns', 'people/contacts'],
  'console/messages/record/send-again.tsx': ['tasks', 'insight/log'],
  'console/messages/record/timeline-list.tsx': ['tasks', 'insight/log'],
}

/** Files outside the console's `ui` that import a style sheet. */
const STYLED = ['app/main.tsx']

export type Breach = { rule: string; place: string }

export const RULES = {
  place: 'A file is in one of the areas',
  line: 'A file imports its own area and earlier ones',
  files: 'No files import each other in a circle, types included',
  nouns: 'No nouns import each other in a circle, types included',
  wiring: 'Only app imports routes and topics from other files',
  store: 'A store is imported in its own folder, or in a folder that SHARED lists',
  noun: "The console imports another noun's own file, its texts, or files that SHARED lists",
  style: 'In the console only ui has style sheets; screens are styled by utilities',
  whole: 'No file imports the whole App: a function asks for what it uses',
  names: 'Two modules of the server do not export the same name',
}

/** `from` and `to` are paths below the package's `src`. */
type Import = { from: string; to: string; names: string }

/** Breaches in the packages below `root`. Tests may import anything. */
export function findBreaches(root: string): Breach[] {
  return globSync('packages/*/src', { cwd: root }).flatMap((src) => {
    const name = src.split('/')[1]!
    const paths = globSync('**/*.{ts,tsx,css}', { cwd: posix.join(root, src) }).sort()
    const files = paths.filter((path) => !/\.test\.tsx?$/.test(path))
    const imports = files.flatMap((file) => importsOf(name, posix.join(root, src), file))
    const twins = name === 'server' ? twinsIn(posix.join(root, src), files) : []
    return [...breachesOf(name, files, imports), ...twins].map(({ rule, place }) => ({
      rule,
      place: `${name}: ${place}`,
    }))
  })
}

const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm

function twinsIn(src: string, files: string[]): Breach[] {
  const exporters = new Map<string, Set<string>>()
  for (const file of files) {
    for (const [, name] of readFileSync(posix.join(src, file), 'utf8').matchAll(EXPORT))
      exporters.set(name!, (exporters.get(name!) ?? new Set()).add(file))
  }
  return [...exporters]
    .filter(([, from]) => from.size > 1)
    .map(([name, from]) => ({ rule: RULES.names, place: `${name} in ${[...from].join(', ')}` }))
}

const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm

/** Every form of import and re-export: static, dynamic, type-only, for side effects. */
const IMPORT =
  /(?<![\w.$'"`])(?:import|export)\b(?:\s*(?<names>[\w$*\s{},]+?)\s*\bfrom\b)?\s*\(?\s*(?<quote>['"`])(?<path>[^'"`\n]+)\k<quote>(?:\s*\)\s*\.\s*(?<member>\w+))?|@import\s+['"](?<css>[^'"]+)['"]/g

function importsOf(name: string, src: string, from: string): Import[] {
  return importedIn(readFileSync(posix.join(src, from), 'utf8')).flatMap(({ specifier, names }) => {
    const to = within(name, from, specifier)
    return to !== undefined ? [{ from, to, names }] : []
  })
}

/** What this source text imports. */
export function importedIn(text: string): { specifier: string; names: string }[] {
  return Array.from(text.replaceAll(COMMENT_LINE, '').matchAll(IMPORT), ({ groups = {} }) => ({
    specifier: groups.path ?? groups.css ?? '',
    names: groups.names ?? groups.member ?? '',
  }))
}

/** Resolves a specifier to a file of the same package. */
function within(name: string, from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  return [`#${name}/`, `@sdd/${name}/`]
    .filter((alias) => specifier.startsWith(alias))
    .map((alias) => specifier.slice(alias.length))[0]
}

function breachesOf(name: string, files: string[], imports: Import[]): Breach[] {
  const circles = [
    ...circlesOf(imports).map((place) => ({ rule: RULES.files, place })),
    ...circlesOf(imports.map(({ from, to }) => ({ from: nounOf(name, from), to: nounOf(name, to) }))).map(
      (place) => ({ rule: RULES.nouns, place }),
    ),
  ]
  const nowhere = files.filter((file) => WITH_AREAS.includes(name) && areaOf(name, file) === undefined)
  return [
    ...nowhere.map((place) => ({ rule: RULES.place, place })),
    ...files
      .filter((file) => name === 'console' && file.endsWith('.css') && !file.startsWith('ui/'))
      .map((place) => ({ rule: RULES.style, place })),
    ...imports.flatMap((one) =>
      ruleAgainst(name, one).map((rule) => ({ rule, place: `${one.from} -> ${one.to}` })),
    ),
    ...circles,
  ]
}

function ruleAgainst(name: string, { from, to, names }: Import): string[] {
  const found: string[] = []
  if (/\bApp\b/.test(names)) found.push(RULES.whole)
  if (name === 'console' && to.endsWith('.css') && !from.startsWith('ui/') && !STYLED.includes(from))
    found.push(RULES.style)
  const [area, other] = [areaOf(name, from), areaOf(name, to)]
  if (area === undefined || other === undefined) return found
  if (AREAS.indexOf(other) > AREAS.indexOf(area)) found.push(RULES.line)
  const [folder, file] = [posix.dirname(to), posix.basename(to)]
  if (folder === posix.dirname(from)) return found
  if (name === 'server' && /^(routes|topics)\.ts$/.test(file) && area !== 'app') found.push(RULES.wiring)
  if (name === 'server' && /^(.+\.)?store\.ts$/.test(file) && !isShared(name, to, from))
    found.push(RULES.store)
  if (
    name === 'console' &&
    area !== 'app' &&
    other !== 'core' &&
    !isNounFile(to) &&
    !isShared(name, to, from)
  )
    found.push(RULES.noun)
  return found
}

function isShared(name: string, to: string, from: string): boolean {
  return SHARED[`${name}/${to}`]?.some((folder) => from.startsWith(`${folder}/`)) ?? false
}

function isNounFile(path: string): boolean {
  const [noun, file] = path.split('/').slice(-2)
  const isOfNoun = [`${noun}.ts`, `${noun}.tsx`, 'text.ts'].includes(file ?? '')
  return path.split('/').length <= (isOfNoun ? 3 : 2)
}

function areaOf(name: string, file: string): string | undefined {
  const [first = '', ...rest] = file.split('/')
  if (!WITH_AREAS.includes(name) || rest.length === 0) return undefined
  if (first === WITH_CORE[name]) return 'core'
  return AREAS.includes(first) ? first : undefined
}

/** A noun is a folder of an area, or a file directly in the area. */
function nounOf(name: string, file: string): string {
  const parts = file.split('/')
  const whole = !WITH_AREAS.includes(name) || parts[0] === WITH_CORE[name]
  return parts.slice(0, whole ? 1 : 2).join('/')
}

/** Groups whose members all reach each other, as `a, b`. */
function circlesOf(arrows: { from: string; to: string }[]): string[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of arrows) if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to))
  const reach = new Map([...next.keys()].map((start) => [start, reachedFrom(start, next)]))
  const circles = [...reach].map(([start, reached]) =>
    [...reached].filter((other) => reach.get(other)?.has(start)).sort(),
  )
  return [...new Set(circles.filter((circle) => circle.length > 0).map((circle) => circle.join(', ')))]
}

function reachedFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const other of next.get(at) ?? [])
      if (!reached.has(other)) {
        reached.add(other)
        open.push(other)
      }
  return reached
}
