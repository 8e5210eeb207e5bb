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

/** A modem that is not there: it speaks AT over a stream, has a SIM and a network, and fails as real ones do. */
export type Emulator = {
  /** The line to it, opened the first time. */
  readonly port: Duplex
  /** Opens the line anew, as opening its device file does; rejects while it is unplugged. */
  openPort: () => Promise<Duplex>
  /** What it was told lately: the last 1,000 commands, oldest first. */
  heard: () => readonly string[]
  /** An SMS comes in, in as many parts as it takes. `from` may be a name. Gives the parts. */
  receive: (sms: { from: string; text: string; at?: number }) => Delivered[]
  /** The same for a PDU as it is, or one part of several. */
  deliver: (message: Delivered) => void
  /** The report of a part that went on air; `status` is its TP-ST. */
  report: (part: OnAir, status: number) => void
  /** What the network could not hand over yet. */
  waiting: () => number
  messagesIn: (storage: string) => Kept[]
  /** Changes what the SIM or the network is, from now on. */
  setSim: (changes: Partial<EmulatedSim>) => void
  setNetwork: (changes: Partial<EmulatedNetwork>) => void
  /** Says lines that nobody asked for. */
  say: (...lines: string[]) => void
  /** Bytes as they are. */
  noise: (bytes: string) => void
  /** Says that it switches itself off, and does: it is silent until `powerUp`; the line stays. */
  powerDown: (says: string) => void
  powerUp: () => void
  /** Starts anew, with its banner; the line stays. */
  restart: () => void
  /** Says and hears nothing for so long; until it is unplugged, where it is not said how long. */
  hang: (for_ms?: number) => void
  /** The line breaks, and opens no more until `plug`. */
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
  /** Grows with each start: what was to happen before it does not. */
  let starts = 0
  let received = 0
  /** When the last byte that was put leaves, on a slow line. */
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
  // It ran before anybody looked.
  machine.running_since = clock.uptime()
  chatter()

  function later(ms: number, run: () => void): void {
    const of = starts
    clock.after(ms, () => {
      if (of === starts) run()
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

/** A clock whose timers end together, so that a closed emulator holds nothing up. */
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
