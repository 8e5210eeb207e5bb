import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { ROOT } from './run.ts'

const SHOWN = 15

/** A reporter for `node --test`: the files that took longest. */
export default async function* slowFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; duration_ms: number }[] = []
  for await (const { type, data } of events)
    if (type === 'test:summary' && data.file !== undefined)
      files.push({ file: relative(ROOT, data.file), duration_ms: data.duration_ms })
  const total_ms = files.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  yield `\nThe slowest of ${files.length} files, which took ${inSecs(total_ms)} together:\n`
  for (const { file, duration_ms } of files.sort((a, b) => b.duration_ms - a.duration_ms).slice(0, SHOWN))
    yield `${inSecs(duration_ms).padStart(7)}  ${file}\n`
}

function inSecs(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
