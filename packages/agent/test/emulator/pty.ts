import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { openEmulator } from '#agent/emulator/emulator.ts'
import type { OnAir } from '#agent/emulator/options.ts'

/**
 * The emulated modem on a pseudo-terminal, for manual tests with gammu, minicom, or the agent itself:
 *
 *     node packages/agent/test/emulator/pty.ts --link /tmp/modem
 *
 * Needs socat, which makes the pseudo-terminal. Lines typed here trigger events; `help` lists them.
 */
const { values } = parseArgs({
  options: {
    link: { type: 'string', default: '/tmp/modem' },
    number: { type: 'string', default: '+34600000001' },
    pin: { type: 'string' },
    seed: { type: 'string', default: 'by hand' },
    /** The probability, 0..1, that a message goes out without an answer. */
    silence: { type: 'string', default: '0' },
    /** How it writes the answer to a code: `text`, `ucs2` or `packed`. */
    ussd: { type: 'string', default: 'text' },
  },
})

const aired: OnAir[] = []
const emulator = openEmulator({
  seed: values.seed,
  sim: { number: values.number, pin: values.pin ?? null },
  dialect: { ussd: values.ussd as 'text' | 'ucs2' | 'packed' },
  chances: [[{ kind: 'silence', on_air: true }, Number(values.silence)]],
  onAir(part) {
    aired.push(part)
    const where = part.concat ? ` (${part.concat.n}/${part.concat.of})` : ''
    console.log(`on air to ${part.to}, reference ${part.reference}${where}: ${part.text}`)
  },
})

let pty: ChildProcess | undefined
let stopped = false
void openPty()
console.log(`the modem is at ${values.link}; "help" lists the events`)

/** When the program that opened the pseudo-terminal closes it, it ends; then this opens a new one. */
async function openPty(): Promise<void> {
  const port = await emulator.openPort()
  const socat = spawn('socat', [`PTY,link=${values.link},rawer,wait-slave`, 'STDIO'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  pty = socat
  socat.on('error', (error) => {
    console.error(`socat does not start: ${error.message}`)
    stop()
  })
  socat.on('exit', () => {
    if (!stopped) void openPty()
  })
  socat.stdout.pipe(port).pipe(socat.stdin)
}

const events: Record<string, { does: string; run: (rest: string) => void }> = {
  sms: {
    does: 'sms +34600111222 Hola: an SMS arrives',
    run(rest) {
      const [from = '', ...words] = rest.split(' ')
      emulator.receive({ from, text: words.join(' ') })
    },
  },
  report: {
    does: 'report 0: the delivery report of the last part, by its TP-ST',
    run(rest) {
      const last = aired.at(-1)
      if (last) emulator.report(last, Number(rest))
    },
  },
  network: {
    does: 'network 2: registration, in the codes of +CREG',
    run: (rest) => emulator.setNetwork({ registration: Number(rest) }),
  },
  say: { does: 'say ^RSSI:18: an unsolicited line', run: (rest) => emulator.say(rest) },
  restart: { does: 'restart: the modem restarts', run: () => emulator.restart() },
  hang: { does: 'hang: it stops answering', run: () => emulator.hang() },
  quit: { does: 'quit: ends this program', run: stop },
}

const typed = createInterface({ input: process.stdin })
typed.on('line', (line) => {
  const [word = '', ...rest] = line.trim().split(' ')
  if (Object.hasOwn(events, word)) events[word]!.run(rest.join(' '))
  else for (const { does } of Object.values(events)) console.log(does)
})

function stop(): void {
  stopped = true
  typed.close()
  pty?.kill()
  emulator.close()
}
