import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdLock } from '../packages/storage/src/sqlite/lock.ts'
import { main, ROOT, run } from './run.ts'

/** All sources and settings of the build. Folders too, since a folder's time is that of its last deleted file. */
const SOURCES = [
  'packages/{console,contract,sms,mqtt}/src/**',
  'packages/console/{public,scripts}/**',
  'packages/console/*.{html,ts,json}',
  'package-lock.json',
]

/** Its configuration of Vite and its folder, from packages/console, and its sources besides those above. */
type Build = { config: string; folder: string; sources: string[] }

const PRODUCT: Build = { config: 'vite.config.ts', folder: 'dist', sources: [] }

/**
 * Builds packages/console/dist, or another build, unless it is newer than all its sources. Two processes may call this
 * at once: the second waits and finds it done. A server that serves the folder meanwhile never sees half a build.
 *
 * Resolves to the folder. Throws if the build fails; the folder then stays unchanged.
 */
export async function buildConsole(root = ROOT, what = PRODUCT): Promise<string> {
  const folder = join(root, 'packages/console', what.folder)
  if (isFresh(root, what)) return folder
  const unlock = await lock(join(root, 'node_modules/.cache'))
  try {
    if (!isFresh(root, what)) await build(root, what)
  } finally {
    unlock()
  }
  return folder
}

function isFresh(root: string, { folder, sources: own }: Build): boolean {
  const at = join(root, 'packages/console')
  const built = statSync(join(at, folder, 'index.html'), { throwIfNoEntry: false })
  if (built === undefined) return false
  const sources = globSync([...SOURCES, ...own], { cwd: root, exclude: ['**/*.test.{ts,tsx}'] })
  // Whole milliseconds, since `utimes` below sets no finer times.
  return sources.every((source) => Math.floor(statSync(join(root, source)).mtimeMs) <= built.mtimeMs)
}

async function build(root: string, what: Build): Promise<void> {
  console.log('Building the console …')
  const cwd = join(root, 'packages/console')
  const dist = join(cwd, what.folder)
  const [next, last] = [`${dist}-next`, `${dist}-last`]
  const started = new Date()
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const args = ['build', '--config', what.config, '--outDir', next, '--emptyOutDir', '--logLevel', 'warn']
  const status = await run(process.execPath, [vite, ...args], { cwd })
  if (status !== 0) throw new Error('The console could not be built: see the errors above')
  // A source that changed during the build must count as newer.
  utimesSync(join(next, 'index.html'), started, started)
  rmSync(last, { recursive: true, force: true })
  if (existsSync(dist)) renameSync(dist, last)
  renameSync(next, dist)
  rmSync(last, { recursive: true, force: true })
}

/** A lock between processes. It ends with its holder, even after a kill. */
async function lock(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true })
  for (;;) {
    try {
      return holdLock(join(folder, 'console-build.lock'))
    } catch (error) {
      if (!(error instanceof Error && error.message === 'database is locked')) throw error
      await sleep(100)
    }
  }
}

if (import.meta.main) await main(async () => void (await buildConsole()))
