import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdLock } from '../packages/storage/src/sqlite/lock.ts'

/** A folder that is made of sources. All paths are from the root. */
export type Build = {
  /** As a sentence names it: `the console`. */
  name: string
  folder: string
  /** One of the folder's files. Its time becomes that of the build. */
  mark: string
  /** Patterns. Folders too, since a folder's time is that of its last deleted file. */
  sources: readonly string[]
  /** Makes the folder `next`, or throws. */
  make(root: string, next: string): Promise<void>
}

/**
 * Makes the folder unless it is newer than all its sources. Two processes may call this at once: the second waits and
 * finds it done. A server that uses the folder meanwhile never sees half a build.
 *
 * Resolves to the folder. Throws if it cannot be made; it then stays unchanged.
 */
export async function bringUpToDate(build: Build, root: string): Promise<string> {
  const folder = join(root, build.folder)
  if (isFresh(build, root)) return folder
  const unlock = await lock(join(root, 'node_modules/.cache'))
  try {
    if (!isFresh(build, root)) await replace(build, root)
  } finally {
    unlock()
  }
  return folder
}

function isFresh({ folder, mark, sources }: Build, root: string): boolean {
  const built = statSync(join(root, folder, mark), { throwIfNoEntry: false })
  if (built === undefined) return false
  const found = globSync(sources, { cwd: root, exclude: ['**/*.test.{ts,tsx}'] })
  // Whole milliseconds, since `utimes` below sets no finer times.
  return found.every((source) => Math.floor(statSync(join(root, source)).mtimeMs) <= built.mtimeMs)
}

async function replace({ name, folder, mark, make }: Build, root: string): Promise<void> {
  console.log(`Building ${name} …`)
  const path = join(root, folder)
  const [next, last] = [`${path}-next`, `${path}-last`]
  const started = new Date()
  await make(root, next)
  // A source that changed during the build must count as newer.
  utimesSync(join(next, mark), started, started)
  rmSync(last, { recursive: true, force: true })
  if (existsSync(path)) renameSync(path, last)
  renameSync(next, path)
  rmSync(last, { recursive: true, force: true })
}

/** A lock between processes. It ends with its holder, even after a kill. */
async function lock(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true })
  for (;;) {
    try {
      return holdLock(join(folder, 'build.lock'))
    } catch (error) {
      if (!(error instanceof Error && error.message === 'database is locked')) throw error
      await sleep(100)
    }
  }
}
