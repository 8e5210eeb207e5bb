import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Report, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { Device } from '@sdd/contract/fleet/devices.ts'
import { LogEntry } from '@sdd/contract/insight/log.ts'
import { NewSms } from '@sdd/contract/messages/messages.ts'
import { NewTask, Task } from '@sdd/contract/tasks/tasks.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/names.md'), 'utf8')

const schemas = { Device, LogEntry, NewSms, NewTask, Report, SendCommand, Task }

for (const [name, { shape }] of Object.entries(schemas)) {
  test(`docs/names.md has each field of ${name}`, () => {
    // A command's `type` is the same word for all commands.
    const fields = Object.keys(shape).filter((field) => field !== 'type')
    assert.deepEqual(
      fields.filter((field) => !page.includes(`\`${field}\``)),
      [],
    )
  })
}
