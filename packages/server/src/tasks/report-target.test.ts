import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallbackUrl } from '@sdd/contract/core/fields.ts'
import { type ReportTarget, readTarget, writeTarget } from './report-target.ts'

test('a target is read back as it was written, for each address that a caller may give', () => {
  const urls = ['http://h', 'HTTPS://h:1/a?b=%20#c', 'http://h/a b', 'http://h/\u2003', 'http://h/?t=%a\n']
  const accepted = urls.filter((url) => CallbackUrl.safeParse(url).success)
  assert.deepEqual(accepted, urls.slice(0, 2))
  for (const url of accepted) {
    const targets: ReportTarget[] = [
      { format: null, url },
      { format: 'kannel', argument: '31', url },
      { format: 'twilio', argument: 'AC%20x', url },
    ]
    for (const target of targets) assert.deepEqual(readTarget(writeTarget(target)), target)
  }
})
