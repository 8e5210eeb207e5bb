import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { endFile } from './end-of-file.ts'
import { ROOT } from './run.ts'
import { startWatchdog } from './watchdog.ts'

const FILE_WITHIN_MS = 600_000

/**
 * Runs these test files one after the other in this process, each as a suite with its name and its own hooks. A file is
 * loaded once the one before it has ended.
 */
export async function runGroup(files: readonly string[], engine: 'sqlite' | 'postgres'): Promise<void> {
  process.env['TEST_ENGINE'] = engine
  const starts = startWatchdog(FILE_WITHIN_MS)
  const left = new Set(files)
  // Node ends a process with nothing left to wait for, whatever its tests still wait for.
  process.once('exit', () => {
    if (left.size === 0) return
    process.exitCode = 1
    writeSync(2, `The process ended before these tests: ${[...left].join(', ')}\n`)
  })
  for (const file of files)
    await describe(engine === 'postgres' ? `${file} on PostgreSQL` : file, async () => {
      starts(file)
      await import(pathToFileURL(join(ROOT, file)).href)
      after(async () => {
        await endFile()
        left.delete(file)
      })
    })
}
