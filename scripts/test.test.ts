import assert from 'node:assert/strict'
import test from 'node:test'
import { findTests, isOfEitherEngine } from './test.ts'

test('npm test finds the tests of packages, scripts and lint, and no fixture', () => {
  const files = findTests([], false)
  for (const file of ['lint/boundaries.test.ts', 'packages/sms/src/gsm7.test.ts', 'scripts/test.test.ts'])
    assert.ok(files.includes(file), file)
  assert.deepEqual(
    files.filter((file) => /fixtures|node_modules/.test(file)),
    [],
  )
})

test('npm test with parts of paths finds the files that contain one of them', () => {
  assert.deepEqual(findTests(['sms/src/gsm7', 'lint/bound'], false), [
    'lint/boundaries.test.ts',
    'packages/sms/src/gsm7.test.ts',
  ])
})

test('npm run e2e leaves out tests without a browser', () => {
  const files = findTests([], true)
  assert.ok(!files.includes('scripts/test.test.ts'))
  assert.deepEqual(
    files.filter((file) => !/^packages\/console\/test\/|\.browser\.test\.ts$/.test(file)),
    [],
  )
})

test('tests of SQL rules run on both engines, everything else runs once', () => {
  const twice = findTests(['packages/server'], false).filter(isOfEitherEngine)
  for (const name of ['messages', 'searching', 'retention'])
    assert.ok(twice.includes(`packages/server/test/${name}.engines.test.ts`), name)
  assert.ok(!twice.includes('packages/server/test/http-floods.test.ts'))
})
