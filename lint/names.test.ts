import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Report, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { Device, listDevices } from '@sdd/contract/fleet/devices.ts'
import { listLogs, LogEntry } from '@sdd/contract/insight/log.ts'
import { NewSms, sendSms } from '@sdd/contract/messages/messages.ts'
import { createTasks, NewTask, Task } from '@sdd/contract/tasks/tasks.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/names.md'), 'utf8')

const tasks = `Task: \`${createTasks.path}\``

/** Each schema, the heading of its table, and the title of its column there. */
const schemas = [
  ['LogEntry', LogEntry, 'A message', `Log: \`GET ${listLogs.path}\``],
  ['Task', Task, 'A message', tasks],
  ['NewTask', NewTask, 'A message', tasks],
  ['NewSms', NewSms, 'A message', `Console API: \`POST ${sendSms.path}\``],
  ['Report', Report, 'A message', 'Device protocol'],
  ['SendCommand', SendCommand, 'A message', 'Device protocol'],
  ['Device', Device, 'A device', `API: \`GET ${listDevices.path}\``],
] as const

for (const [name, { shape }, heading, title] of schemas) {
  test(`docs/names.md has each field of ${name} in its column`, () => {
    const documented = namesIn(heading, title)
    // A command's `type` is the same word for all commands.
    const fields = Object.keys(shape).filter((field) => field !== 'type')
    assert.deepEqual(
      fields.filter((field) => !documented.has(field)),
      [],
    )
  })
}

test('a field in another column or table is not found', () => {
  const log = namesIn('A message', `Log: \`GET ${listLogs.path}\``)
  assert.ok(log.has('message_to'))
  assert.ok(!log.has('telefono_to'))
  assert.ok(!log.has('uid'))
})

/** The names in code style in a column of the table below this heading. */
function namesIn(heading: string, title: string): Set<string> {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const [titles = [], ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const column = titles.indexOf(title)
  assert.notEqual(column, -1, `no column "${title}" below "${heading}"`)
  return new Set(rows.flatMap((cells) => cells[column]!.match(/(?<=`)\w+(?=`)/g) ?? []))
}
