import { buildConsole } from '../../../scripts/build-console.ts'
import { type Bench, type Measure, openResult, type ResultSheet } from '../bench.ts'
import { openReader, type Reader } from '../reader.ts'
import { openScreen, type Screen } from '../screen.ts'
import { fillReceived, senderOf, untilReceivedIndexed } from '../seed/received.ts'
import { gainAccess, linkDevices, startBenchServer } from '../server.ts'
import { quantile } from '../statistics.ts'
import { atRate, repeat, startTraffic, textOf } from '../work.ts'

const MOST_SMS = 1_000_000
/** SMS of each conversation. */
const EACH = 10
/** SMS a second that arrive while a user reads. */
const PER_S = 50
/** A device may send 60 at once; some are for the SMS that arrive meanwhile. */
const BURST = 50
/** SMS that a screen shows in a round. */
const MOST_SHOWN = 500
/** Of each list or search, in a round. */
const SAMPLES = { conversations: 200, 'conversation-search': 30 }

const LISTS = ['', 'counts=true', 'unread=true', 'assigned=none', 'status=all']

/** A user reads and searches conversations while SMS arrive; and the cost of an SMS that arrives. */
export const conversations: Measure = {
  ids: ['conversations', 'conversation-search', 'received', 'screen'],
  async run(bench, wanted) {
    if (wanted.has('screen')) await buildConsole()
    const home = await bench.home('conversations')
    const sms = Math.min(MOST_SMS, bench.rows)
    const many = Math.max(1, Math.floor(sms / EACH))
    const filling = await startBenchServer(home)
    const accounts = await linkDevices(filling, await gainAccess(filling), {
      count: bench.devices,
      prefix: 'receiving',
    })
    await filling.stop()
    await fillReceived(home, { sms, conversations: many, devices: bench.devices })
    const server = await startBenchServer(home)
    await untilReceivedIndexed(home)
    const access = await gainAccess(server)
    const traffic = await startTraffic(server, access, accounts, { connections: 1 })
    const reader = openReader(server.port, access.token)
    const sheets = {
      conversations: openResult('conversations'),
      'conversation-search': openResult('conversation-search'),
      received: openResult('received'),
      screen: openResult('screen'),
    }
    // A device receives no more than one a second for long.
    const per_s = Math.min(PER_S, bench.devices / 2)
    let count = 0
    const receive = (number: number, conversation: number) => {
      const { devices } = traffic.fleet
      const device = devices[number % devices.length]!
      return device.receive({ from: senderOf(conversation), text: textOf(number) })
    }
    const receiveOne = () => receive(count++, Math.floor(Math.random() * many))
    const random = () => Math.floor(Math.random() * sms)
    const searches = () => [
      // A text of one SMS, one of all, one of none; a number; and a text without its accents.
      `dejadlo en el ${random()}.`,
      'dejadlo',
      'no hay nada así',
      senderOf(random() % many),
      `el ${random()}. manana si estare`,
    ]
    const pages = {
      conversations: () => LISTS.map((list) => `/api/conversations?limit=50&${list}`),
      'conversation-search': () =>
        searches().map((search) => `/api/conversations?${new URLSearchParams({ search }).toString()}`),
    }
    for (const [row, paths] of Object.entries(pages) as [keyof typeof pages, () => string[]][]) {
      if (!wanted.has(row)) continue
      for (let round = 1; round <= bench.rounds; round++) {
        await readWhileReceiving(reader, sheets[row], { samples: SAMPLES[row], paths, receiveOne, per_s })
        bench.say(`conversations, ${row}: round ${round} of ${bench.rounds}`)
      }
    }
    if (wanted.has('received')) {
      // The allowance of each device, and a round that does not count.
      const each = Math.min(bench.messages, Math.floor((bench.devices * BURST) / (bench.rounds + 2)))
      await repeat(each, bench.devices, receiveOne)
      for (let round = 1; round <= bench.rounds; round++) {
        await untilReceivedIndexed(home)
        const costs = await bench.costs(server)
        await sheets.received.watched(async () => {
          await repeat(each, bench.devices, receiveOne)
          await untilReceivedIndexed(home)
        })
        const { cpu_us, postgres_cpu_us } = await costs(sheets.received, 'SMS', each)
        sheets.received.value(cpu_us + postgres_cpu_us)
        bench.say(`conversations, received: round ${round} of ${bench.rounds}`)
      }
    }
    if (wanted.has('screen')) {
      const screen = await openScreen({ url: server.url, token: access.token })
      const shown = Math.min(MOST_SHOWN, bench.messages / 20)
      // Each in another conversation, so that no later one hides it.
      const show = (each_s: number, most_ms: number) => () =>
        atRate(each_s, { for_ms: Math.min(most_ms, (shown / each_s) * 1_000) }, () => {
          screen.published(count)
          return receive(count, count++ % many)
        })
      await readScreen(bench, sheets.screen, screen, { slow: show(1, 10_000), fast: show(per_s, Infinity) })
      await screen.close()
    }
    reader.close()
    await traffic.close()
    await bench.close(server)
    return Object.values(sheets).flatMap((sheet) => (wanted.has(sheet.row) ? noted(sheet, sms, bench) : []))
  },
}

type Reading = { samples: number; per_s: number; paths(): string[]; receiveOne(): Promise<void> }

async function readWhileReceiving(
  reader: Reader,
  sheet: ResultSheet,
  { samples, per_s, paths, receiveOne }: Reading,
): Promise<void> {
  const times: number[] = []
  let reads = true
  const flow = atRate(per_s, { goesOn: () => reads, most: PER_S }, receiveOne)
  for (const path of paths()) await reader.time(path)
  await sheet.watched(async () => {
    for (let sample = 0; sample < samples; sample++)
      for (const path of paths()) times.push(await reader.time(path))
  })
  sheet.value(quantile(times, 0.99))
  sheet.figure('p50 ms', quantile(times, 0.5))
  reads = false
  await flow
}

async function readScreen(
  bench: Bench,
  sheet: ResultSheet,
  screen: Screen,
  { slow, fast }: Record<'slow' | 'fast', () => Promise<void>>,
): Promise<void> {
  sheet.figure('p50 with one a second, ms', (await screen.times(slow)).p50_ms)
  for (let round = 1; round <= bench.rounds; round++) {
    const seen = await sheet.watched(() => screen.times(fast))
    sheet.value(seen.p95_ms)
    sheet.figure('p50 ms', seen.p50_ms)
    sheet.figure('SMS not shown', seen.missed)
    sheet.figure('longest task ms', seen.longest_task_ms)
    sheet.figure('longest key ms', seen.longest_key_ms)
    bench.say(`conversations, screen: round ${round} of ${bench.rounds}`)
  }
}

function noted(sheet: ResultSheet, sms: number, { rows }: Bench) {
  if (rows < MOST_SMS) sheet.note(`with ${sms} received SMS`)
  return sheet.end()
}
