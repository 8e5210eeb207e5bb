import type { TestEvent } from 'node:test/reporters'

const SHOWN_FILES = 15
const SHOWN_LINES = 12

/**
 * A reporter for `node --test` of files that are suites (scripts/test-group.ts): each failed test with its reason, then
 * the files that took longest.
 */
export default async function* summary(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; duration_ms: number }[] = []
  let running = ''
  for await (const { type, data } of events) {
    // One for each file, in the order in which the events are told.
    if (type === 'test:start' && data.nesting === 0) running = data.name
    if (type === 'test:fail' && failureTypeOf(data.details.error) !== 'subtestsFailed')
      yield `✖ ${running}: ${data.name}\n${reasonOf(data.details.error)}\n`
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0)
      files.push({ file: data.name, duration_ms: data.details.duration_ms })
  }
  const total_ms = files.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  yield `\nThe slowest of ${files.length} files, which took ${inSecs(total_ms)} together:\n`
  for (const { file, duration_ms } of files
    .sort((a, b) => b.duration_ms - a.duration_ms)
    .slice(0, SHOWN_FILES))
    yield `${inSecs(duration_ms).padStart(7)}  ${file}\n`
}

/** Not in the types of Node. */
function failureTypeOf(error: Error): unknown {
  return (error as Error & { failureType?: string }).failureType
}

function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  return (cause.stack ?? cause.message)
    .split('\n')
    .slice(0, SHOWN_LINES)
    .join('\n')
    .replaceAll(/^/gmu, '    ')
}

function inSecs(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
