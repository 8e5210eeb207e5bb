// Stands in for the commands of the package termux-api. The answers follow the sources of its scripts and of the app
// Termux:API (github.com/termux/termux-api-package 0.59, github.com/termux/termux-api 0.53). The phone is a folder:
// `sms.json` is its store, `phone.json` its behaviour, `calls` the log of its commands.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const [folder, command, ...args] = process.argv.slice(2)
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const print = (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
const phone = read('phone.json')

const commands = {
  'termux-telephony-deviceinfo': () => print(phone.device),
  'termux-telephony-cellinfo': () => print(phone.cells),
  'termux-battery-status': () => print(phone.battery),
  'termux-wifi-connectioninfo': () => print(phone.wifi),

  // Newest first in the store, then limit and offset, then reversed: the latest is printed last.
  'termux-sms-list'() {
    const { values } = options({ type: 't', limit: 'l', offset: 'o' }, { dates: 'd', numbers: 'n' })
    const isListed = (type) =>
      ['inbox', 'sent', 'draft', 'outbox'].includes(values.type) ? type === values.type : true
    const offset = Number(values.offset ?? 0)
    const newest = read('sms.json')
      .filter(({ type }) => isListed(type))
      .toSorted((a, b) => (a.received < b.received ? 1 : -1))
    print(newest.slice(offset, offset + Number(values.limit ?? 10)).toReversed())
  },

  // Prints nothing in any case. Android lists the message when it is finished.
  async 'termux-sms-send'() {
    const { values, positionals } = options({ number: 'n', slot: 's' }, {})
    const body = positionals.length > 0 ? `${positionals.join(' ')}\n` : await text(process.stdin)
    appendFileSync(join(folder, 'air'), `${JSON.stringify({ to: values.number, slot: values.slot, body })}\n`)
    if (phone.lists === undefined) return
    const store = read('sms.json')
    const _id = Math.max(0, ...store.map((sms) => sms._id)) + 1
    const received = '2026-03-01 12:00:00'
    store.push({
      threadid: 1,
      type: phone.lists,
      read: true,
      address: values.number,
      number: values.number,
      received,
      body,
      _id,
    })
    writeFileSync(join(folder, 'sms.json'), JSON.stringify(store))
  },
}

function options(strings, flags) {
  const option =
    (type) =>
    ([name, short]) => [name, { type, short }]
  const all = [
    ...Object.entries(strings).map(option('string')),
    ...Object.entries(flags).map(option('boolean')),
  ]
  return parseArgs({ args, options: Object.fromEntries(all), allowPositionals: true })
}

appendFileSync(join(folder, 'calls'), `${[command, ...args].join(' ')}\n`)
if (phone.hangs?.includes(command)) setInterval(() => undefined, 1_000)
else if (phone.denied?.includes(command)) {
  print({ error: 'Please grant the following permission to use this command: android.permission.READ_SMS' })
} else await commands[command]()
