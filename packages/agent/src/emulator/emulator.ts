import { duplexPair, type Duplex } from 'node:stream'
import { type Clock, machineClock } from '#agent/clock.ts'
import { openHandOver } from './hand-over.ts'
import { factorySettings, makeMachine } from './machine.ts'
import { messageCommands } from './message-commands.ts'
import { openAir } from './network.ts'
import type { EmulatedNetwork, EmulatedSim, EmulatorOptions, OnAir } from './options.ts'
import type { Kept } from './places.ts'
import { type Delivered, writeDelivers } from './pdus.ts'
import { openTerminal } from './terminal.ts'

/** An emulated modem: it speaks AT over a stream, has a SIM and a network, and fails like real modems. */
type Emulator = {
  /** The current line; the first access opens it. */
  readonly port: Duplex
  /** Opens a new line, as opening the device file does; rejects while unplugged. */
  openPort: () => Promise<Duplex>
  /** The last 1,000 commands that it received, oldest first. */
  heard: () => readonly string[]
  /** Delivers an SMS in as many parts as needed. `from` may be a name. Returns the parts. */
  receive: (sms: { from: string; text: string; at?: number }) => Delivered[]
  /** Delivers a given PDU, such as one part of several. */
  deliver: (message: Delivered) => void
  /** Delivers the report of a part that went on air; `status` is its TP-ST. */
  report: (part: OnAir, status: number) => void
  /** The number of messages and reports that the network could not hand over yet. */
  waiting: () => number
  messagesIn: (storage: string) => Kept[]
  /** Changes the SIM or the network from now on. */
  setSim: (changes: Partial<EmulatedSim>) => void
  setNetwork: (changes: Partial<EmulatedNetwork>) => void
  /** Prints unsolicited lines. */
  say: (...lines: string[]) => void
  /** Sends raw bytes. */
  noise: (bytes: string) => void
  /** Prints `says` and switches off: it is silent until `powerUp`. The line stays open. */
  powerDown: (says: string) => void
  powerUp: () => void
  /** Restarts, with its banner. The line stays open. */
  restart: () => void
  /** Neither answers nor listens for this long, or by default until it is unplugged. */
  hang: (for_ms?: number) => void
  /** Breaks the line, which cannot be opened again until `plug`. */
  unplug: () => void
  plug: () => void
  close: () => void
}

const HEARD = 1_000

export function openEmulator(options: EmulatorOptions = {}): Emulator {
  const clock = trackTimers(options.clock ?? machineClock)
  const heard: string[] = []
  let wire: { port: Duplex; end: Duplex } | undefined
  let plugged = true
  let hanging = false
  /** Counts the starts. A timer from before the latest start is ignored. */
  let starts = 0
  let received = 0
  /** When the last queued byte leaves, on a slow line. */
  let free_at = 0

  const machine = makeMachine({ ...options, clock }, { later, put, say, restart, unplug })
  const { dialect } = machine
  const air = openAir(machine)
  const handOver = openHandOver(machine, air, (lines, end) => terminal.reply(lines, end))
  const terminal = openTerminal({
    machine,
    commands: messageCommands(air),
    handOver,
    heard(command) {
      heard.push(command)
      if (heard.length > HEARD) heard.shift()
    },
  })
  // It has been running for some time.
  machine.running_since = clock.uptime()
  chatter()

  function later(ms: number, run: () => void): void {
    const start = starts
    clock.after(ms, () => {
      if (start === starts) run()
    })
  }

  function say(line: string): void {
    put(`${dialect.line_end}${line}${dialect.line_end}`)
  }

  function put(text: string): void {
    if (!wire || hanging) return
    if (dialect.byte_ms === 0) return void wire.end.write(text, 'latin1')
    const { end } = wire
    for (const byte of Buffer.from(text, 'latin1')) {
      free_at = Math.max(free_at, clock.uptime()) + dialect.byte_ms
      clock.after(free_at - clock.uptime(), () => end.write(Uint8Array.of(byte)))
    }
  }

  function restart(): void {
    starts++
    machine.running_since = undefined
    machine.settings = factorySettings(dialect)
    machine.unlocked = machine.sim.pin === null
    machine.unlocked_at = 0
    machine.ussd_open = false
    handOver.forget()
    later(dialect.start_ms, () => {
      machine.running_since = clock.uptime()
      for (const [i, line] of dialect.banner.entries()) later(200 * i, () => say(line))
      later(200 * dialect.banner.length, air.retry)
    })
  }

  function unplug(): void {
    plugged = false
    starts++
    machine.running_since = undefined
    handOver.forget()
    wire?.port.destroy(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))
    wire = undefined
  }

  function connect(): Duplex {
    wire?.port.destroy()
    const [port, end] = duplexPair()
    end.on('error', () => {})
    end.on('data', (bytes: Buffer) => {
      if (!hanging) for (const byte of bytes) terminal.type(byte)
    })
    wire = { port, end }
    return port
  }

  function chatter(): void {
    if (!dialect.chatter) return
    const { every_ms, lines } = dialect.chatter
    clock.after(every_ms, () => {
      if (machine.running_since !== undefined) for (const line of lines) say(line)
      chatter()
    })
  }

  return {
    get port() {
      return wire?.port ?? connect()
    },
    async openPort() {
      if (!plugged) throw Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' })
      return connect()
    },
    heard: () => heard,
    receive({ from, text, at = clock.now() }) {
      const parts = writeDelivers({ from, text, at, smsc: machine.sim.smsc, reference: ++received })
      for (const part of parts) air.deliver(part)
      return parts
    },
    deliver: air.deliver,
    report: air.report,
    waiting: air.waiting,
    messagesIn: machine.places.list,
    setSim: (changes) => void Object.assign(machine.sim, changes),
    setNetwork(changes) {
      Object.assign(machine.network, changes)
      const { settings, network } = machine
      if (settings.creg > 0 && 'registration' in changes) say(`+CREG: ${network.registration}`)
      air.retry()
    },
    say: (...lines) => lines.forEach(say),
    noise: put,
    powerDown(says) {
      say(says)
      starts++
      machine.running_since = undefined
      handOver.forget()
      hanging = true
    },
    powerUp() {
      hanging = false
      restart()
    },
    restart,
    hang(for_ms) {
      hanging = true
      if (for_ms !== undefined) later(for_ms, () => void (hanging = false))
    },
    unplug,
    plug() {
      plugged = true
      hanging = false
      restart()
    },
    close() {
      clock.clear()
      wire?.port.destroy()
      wire = undefined
    },
  }
}

/** A clock that can cancel all its timers, so that a closed emulator does not keep the process alive. */
function trackTimers(clock: Clock): Clock & { clear: () => void } {
  const running = new Set<() => void>()
  return {
    now: clock.now,
    uptime: clock.uptime,
    after(ms, run) {
      const cancel = clock.after(ms, () => {
        running.delete(cancel)
        run()
      })
      running.add(cancel)
      return () => {
        running.delete(cancel)
        cancel()
      }
    },
    clear() {
      for (const cancel of running) cancel()
      running.clear()
    },
  }
}
