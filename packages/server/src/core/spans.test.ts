import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestIn, type Span } from './spans.ts'

/** Rows with these ids, and the spans that were searched for them. */
function list(...ids: number[]) {
  const spans: Span[] = []
  const slice = async ({ from, below }: Span, limit: number) => {
    spans.push({ from, below })
    return ids
      .filter((id) => id >= from && id < below)
      .sort((a, b) => b - a)
      .slice(0, limit)
      .map((id) => ({ id }))
  }
  return { spans, slice }
}

test('rows far apart are found newest first, each span of ids once', async () => {
  const { spans, slice } = list(1, 10_001, 25_000, 24_999)
  const rows = await newestIn({ below: 25_001, limit: 9 }, slice)
  assert.deepEqual(
    rows.map(({ id }) => id),
    [25_000, 24_999, 10_001, 1],
  )
  assert.deepEqual(spans, [
    { from: 15_001, below: 25_001 },
    { from: 5_001, below: 15_001 },
    { from: 1, below: 5_001 },
  ])
})

test('once there are enough rows, no more spans are searched', async () => {
  const { spans, slice } = list(1, 2, 90_000, 89_999)
  assert.equal((await newestIn({ below: 90_001, limit: 2 }, slice)).length, 2)
  assert.equal(spans.length, 1)
  assert.deepEqual(await newestIn({ below: 1, limit: 2 }, slice), [])
})

test('other work gets a turn between two spans', async () => {
  const { spans, slice } = list()
  let seen = 0
  const search = newestIn({ below: 100_000, limit: 1 }, slice)
  await new Promise<void>((resolve) => setImmediate(() => ((seen = spans.length), resolve())))
  assert.ok(seen < 10, `${seen} of 10 spans before other work`)
  await search
  assert.equal(spans.length, 10)
})
