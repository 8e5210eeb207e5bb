import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEmulator } from '#agent/emulator/emulator.ts'
import type { EmulatorOptions } from '#agent/emulator/options.ts'
import { takeNotes } from '#test/notes.ts'
import { openTime } from '#test/time.ts'
import { openBestPort } from './best-port.ts'
import { openModemOn } from './modem.ts'

const CHATTER: EmulatorOptions = {
  dialect: { chatter: { every_ms: 5_000, lines: ['^RSSI:18'] } },
}

test('the port that sends unsolicited lines is preferred among the ports of a stick', async () => {
  const { best, opened } = stick({ if00: {}, if01: 'silent', if02: CHATTER, if03: {} })
  await best()
  assert.equal(opened.at(-1), 'if02')
})

test('if no port sends anything unsolicited, the last port that answers is used', async () => {
  const { best, opened } = stick({ if00: {}, if01: {}, if02: 'silent', if03: 'held' })
  await best()
  assert.equal(opened.at(-1), 'if01')
})

test('the chosen port is opened directly the next time, while it exists', async () => {
  const { best, opened } = stick({ if00: {}, if02: CHATTER })
  await best()
  opened.length = 0
  await best()
  assert.deepEqual(opened, ['if02'])
})

test('a single port is not probed', async () => {
  const { best, opened, time } = stick({ if00: {} })
  await best()
  assert.deepEqual([opened, time.elapsed()], [['if00'], 0])
})

test('the error says why no port can be used', async () => {
  await assert.rejects(stick({}).best(), /no serial port found/)
  await assert.rejects(stick({ if00: 'held', if01: 'held' }).best(), /if00 is held/)
  await assert.rejects(stick({ if00: 'silent', if01: 'silent' }).best(), /AT: no answer/)
})

test('a silent port is left for another that appears later, and for another that answers', async () => {
  const { modems, open, time } = stick({ if00: 'silent' })
  const driver = openModemOn({ clock: time, openPort: open }, { port: 'if*' }, takeNotes().keeper)
  const becomesReady = async (): Promise<boolean> => {
    for (let tries = 0; tries < 600 && !driver.radio().ready; tries++) await time.pass(500)
    return driver.radio().ready
  }
  await time.pass(5_000)
  const late = openEmulator({ clock: time })
  modems.set('if02', late)
  assert.ok(await becomesReady())
  late.hang()
  modems.set('if00', openEmulator({ clock: time }))
  await time.pass(3 * 60_000)
  assert.ok(await becomesReady())
  await time.until(driver.close())
})

/** Each port of a stick: an emulated modem, a silent port, or one that another program holds. */
function stick(ports: Record<string, EmulatorOptions | 'silent' | 'held'>) {
  const time = openTime()
  const opened: string[] = []
  const modems = new Map(
    Object.entries(ports).map(([port, what]) => {
      const emulator = openEmulator({ clock: time, ...(typeof what === 'object' && what) })
      if (what === 'silent') emulator.hang()
      return [port, what === 'held' ? undefined : emulator]
    }),
  )
  const open = openBestPort({
    clock: time,
    ports: async () => [...modems.keys()],
    async open(port) {
      opened.push(port)
      const modem = modems.get(port)
      if (!modem) throw new Error(`${port} is held`)
      return modem.openPort()
    },
  })
  return { time, opened, modems, open, best: () => time.until(open()) }
}
