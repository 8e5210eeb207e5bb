import { type Answer, OK } from './answers.ts'
import { type Command, GENERAL, type Run } from './commands.ts'
import type { HandOver } from './hand-over.ts'
import type { Machine } from './machine.ts'

const CR = 0x0d
const LF = 0x0a
const BACKSPACE = 0x08
const ESC = 0x1b

/** Reads the input byte by byte: runs commands, and passes PDUs on. */
export function openTerminal(needs: {
  machine: Machine
  commands: Readonly<Record<string, Run>>
  handOver: HandOver
  /** Called with each command. */
  heard: (command: string) => void
}): { type: (byte: number) => void; reply: (lines: string[], end?: string | null) => void } {
  const { machine, commands, handOver, heard } = needs
  const { dialect } = machine
  let typed = ''

  function type(byte: number): void {
    // It ignores input while it starts or sends.
    if (machine.running_since === undefined || handOver.sending()) return
    if (byte === LF && typed === '' && !handOver.typing()) return
    if (typed === '' && !handOver.typing()) for (const line of dialect.before_echo) machine.say(line)
    if (machine.settings.echo > 0) machine.put(String.fromCharCode(byte))
    if (handOver.typing()) return handOver.type(byte)
    if (byte === BACKSPACE) typed = typed.slice(0, -1)
    else if (byte === ESC) typed = ''
    else if (byte === CR) {
      const line = typed.trim()
      typed = ''
      if (machine.settings.echo === 2) machine.put(`${line}\r`)
      run(line)
    } else typed += String.fromCharCode(byte)
  }

  function run(line: string): void {
    if (!/^AT/i.test(line)) return
    heard(line)
    if (breaksTheQuiet()) return machine.restart()
    const lines: string[] = []
    for (const command of commandsOf(line.slice(2))) {
      if (command.name === '+CMGS' && command.kind === 'set') return handOver.begin(command.rest)
      const answer = answerTo(command)
      lines.push(...(answer.lines ?? []))
      if (answer.says !== undefined) return reply(lines, answer.says)
    }
    reply(lines)
  }

  function answerTo(command: Command): Answer {
    const { name, kind } = command
    const known = Object.hasOwn(commands, name) ? commands[name] : GENERAL[name]
    const lacking = dialect.lacks.includes(name) || (name === '+CPINR' && !dialect.cpinr)
    if (name === '') return OK
    if (!known || lacking) return { says: dialect.refusal }
    if (name === '+CMGS' && kind === 'test') return OK
    return known(machine, command)
  }

  /** Some sticks restart if a command arrives too soon after their PIN. */
  function breaksTheQuiet(): boolean {
    const { unlocked_at, clock } = machine
    return unlocked_at > 0 && clock.uptime() - unlocked_at < dialect.pin_quiet_ms
  }

  function reply(lines: string[], end: string | null = 'OK'): void {
    const all = end === null ? lines : [...lines, end]
    for (const line of all) machine.put(`${dialect.line_end}${line}${dialect.line_end}`)
  }

  return { type, reply }
}

/** The commands of a line: extended ones separated by `;`, basic ones directly after each other (`E0V1`). */
function commandsOf(line: string): Command[] {
  const commands: Command[] = []
  for (const part of line.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const extended = /^\s*([+^*%$][A-Z0-9]+)\s*(=\?|\?|=)?(.*)$/i.exec(part)
    if (extended) {
      const kind = ({ '=?': 'test', '?': 'read', '=': 'set' } as const)[extended[2] ?? ''] ?? 'run'
      commands.push({ name: extended[1]!.toUpperCase(), kind, rest: extended[3]!.trim() })
    } else
      for (const basic of part.matchAll(/(&?[A-Z])(\d*)(?:=\d+|\?)?/gi))
        commands.push({ name: basic[1]!.toUpperCase(), kind: 'run', rest: basic[2]! })
  }
  return commands
}
