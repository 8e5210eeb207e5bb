import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openLog } from '#server/core/log.ts'
import { freeBytesOf, watchDiskSpace } from './disk-space.ts'

test('below the limit new work is refused, and accepted again as soon as there is space', async (t) => {
  let free = 300e6
  let logged = ''
  const out = new PassThrough().on('data', (bytes) => (logged += String(bytes)))
  const look = async () => free
  const needs = { folder: '/data', least_free_mb: 256, log: openLog('info', out as PassThrough), look }
  const diskSpace = await watchDiskSpace(needs)
  t.after(() => diskSpace.stop())
  assert.doesNotThrow(diskSpace.refuseIfShort)
  assert.equal(diskSpace.freeBytes(), 300e6)
  free = 255.9e6
  while (diskSpace.shortage() === undefined) await wait(50)
  assert.throws(diskSpace.refuseIfShort, {
    code: 'disk_full',
    message: /^The disk of \/data has 256 MB free.*LEAST_FREE_MB keeps 256 MB.*Free some room there/,
  })
  assert.equal(logged.split('\n').filter((line) => line.includes('"error"')).length, 1)
  free = 256e6
  while (diskSpace.shortage() !== undefined) await wait(50)
  assert.doesNotThrow(diskSpace.refuseIfShort)
  assert.match(logged, /256 MB free again/)
})

test('the first check already counts, so a server that starts on a full disk accepts nothing', async () => {
  const look = async () => 1.25e6
  const diskSpace = await watchDiskSpace({ folder: '/data', least_free_mb: 2, log: openLog('silent'), look })
  assert.throws(diskSpace.refuseIfShort, /has 1\.3 MB free/)
  await diskSpace.stop()
})

test('a disk that does not report its free space is used until a write fails', async () => {
  const look = () => Promise.reject(new Error('ENOSYS'))
  const diskSpace = await watchDiskSpace({ folder: '/data', least_free_mb: 2, log: openLog('silent'), look })
  assert.doesNotThrow(diskSpace.refuseIfShort)
  assert.equal(diskSpace.freeBytes(), undefined)
  await diskSpace.stop()
})

test('the free space is that of the disk of the folder', async () => {
  const free = await freeBytesOf(tmpdir())
  assert.ok(free > 0 && Number.isSafeInteger(free), `${free}`)
})
