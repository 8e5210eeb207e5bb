/** Prints what each route loads when it is landed on directly, brotli, beside its budget; exits 1 when one is over. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

type Chunk = { file: string; css?: string[]; imports?: string[] }

const DIST = join(import.meta.dirname, '../dist')
const KB = 1000

const SHELL = 'src/shell/shell.tsx'
const routes: { route: string; chunks: string[]; budget: number }[] = [
  { route: '/login', chunks: [], budget: 115 * KB },
  { route: '/dashboard', chunks: [SHELL, 'src/dashboard/dashboard-screen.tsx'], budget: 170 * KB },
  { route: '/devices', chunks: [SHELL, 'src/devices/devices-screen.tsx'], budget: 170 * KB },
  { route: '/sms', chunks: [SHELL, 'src/messages/send-screen.tsx'], budget: 170 * KB },
  { route: '/logs', chunks: [SHELL, 'src/messages/logs-screen.tsx'], budget: 170 * KB },
  { route: '/users', chunks: [SHELL, 'src/users/users-screen.tsx'], budget: 170 * KB },
  { route: '/running-tasks', chunks: [SHELL, 'src/tasks/tasks-screen.tsx'], budget: 170 * KB },
  { route: '/settings', chunks: [SHELL, 'src/settings/settings-screen.tsx'], budget: 170 * KB },
]
const FONT_BUDGET = 55 * KB

const manifest = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<
  string,
  Chunk
>
let over = false

for (const { route, chunks, budget } of routes) {
  const files = new Set(['theme.js'])
  for (const chunk of ['index.html', ...chunks]) collect(chunk, files)
  let bytes = 0
  for (const file of files) bytes += (await stat(join(DIST, `${file}.br`))).size
  report(route, bytes, budget)
}

let fonts = 0
for (const name of await readdir(join(DIST, 'assets'))) {
  if (name.endsWith('.woff2')) fonts += (await stat(join(DIST, 'assets', name))).size
}
report('fonts', fonts, FONT_BUDGET)
process.exitCode = over ? 1 : 0

/** The chunk's file, its styles, and those of all that it imports. */
function collect(name: string, files: Set<string>): void {
  const chunk = manifest[name]
  if (!chunk) throw new Error(`the build has no ${name}`)
  if (files.has(chunk.file)) return
  files.add(chunk.file)
  for (const style of chunk.css ?? []) files.add(style)
  for (const imported of chunk.imports ?? []) collect(imported, files)
}

function report(what: string, bytes: number, budget: number): void {
  const verdict = bytes > budget ? 'OVER' : 'ok'
  over ||= bytes > budget
  console.log(`${what.padEnd(16)}${kb(bytes)} of ${kb(budget)}  ${verdict}`)
}

function kb(bytes: number): string {
  return `${(bytes / KB).toFixed(1).padStart(6)} kB`
}
