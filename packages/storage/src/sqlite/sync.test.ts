import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSyncing } from './sync.ts'

test('syncing a missing file is an error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-sync-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'some.db-wal')
  const syncing = openSyncing(path)
  await assert.rejects(syncing.sync(), { code: 'ENOENT' })
  writeFileSync(path, 'written by somebody else')
  await syncing.sync()
  await syncing.sync()
  syncing.close()
})
