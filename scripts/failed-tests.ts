import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { ROOT } from './run.ts'

/** A reporter for `node --test`: a line for each failed test, with its file. scripts/test.ts repeats them at the end. */
export default async function* failedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events)
    if (type === 'test:fail' && failureTypeOf(data.details.error) !== 'subtestsFailed')
      yield `${data.file === undefined ? '' : `${relative(ROOT, data.file)}: `}${data.name}\n${reason(data.details.error)}\n`
}

/** Not in the types of Node. */
function failureTypeOf(error: Error): unknown {
  return (error as Error & { failureType?: string }).failureType
}

function reason(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  return (cause.stack ?? cause.message)
    .split('\n')
    .slice(0, SHOWN_LINES)
    .join('\n')
    .replaceAll(/^/gmu, '    ')
}

const SHOWN_LINES = 12
