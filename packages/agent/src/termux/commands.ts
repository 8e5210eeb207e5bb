import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Why a command of Termux:API printed nothing usable. */
export class TermuxError extends Error {
  /** Whether the phone certainly did nothing. */
  readonly undone: boolean

  constructor(sentence: string, undone: boolean) {
    super(sentence)
    this.undone = undone
  }
}

export type Termux = {
  /** Resolves to the command's output. Rejects with a `TermuxError`. */
  run: (command: string, args?: readonly string[], input?: string) => Promise<string>
  /** The same, as JSON. */
  ask: (command: string, args?: readonly string[]) => Promise<unknown>
}

/** Without the app Termux:API a command never ends; a phone in deep sleep takes some seconds. */
const ANSWER_WITHIN_MS = 30_000

/**
 * The commands of the package termux-api (github.com/termux/termux-api-package). Without the Android permission for a
 * command, it prints `{"error": "Please grant …"}` and does nothing.
 */
export function openTermux({ within_ms = ANSWER_WITHIN_MS }: { within_ms?: number } = {}): Termux {
  async function run(command: string, args: readonly string[] = [], input = ''): Promise<string> {
    // A separate process group: the children of the script hold the pipes, and must end with it.
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    child.stdin.on('error', () => undefined).end(input)
    const late = setTimeout(() => endGroup(child.pid!), within_ms)
    const ended = once(child, 'close') as Promise<[number | null]>
    const printing = Promise.all([text(child.stdout), text(child.stderr)])
    const [status] = await ended
      .catch((cause: NodeJS.ErrnoException) => {
        throw new TermuxError(`${command} cannot be run (${cause.code}): pkg install termux-api`, true)
      })
      .finally(() => clearTimeout(late))
    const [printed, complained] = await printing
    const refusal = refusalIn(printed)
    if (refusal) throw new TermuxError(`${refusal} (Android settings, app Termux:API, permissions)`, true)
    if (status === 0) return printed
    if (status === null) {
      const remedy = 'is the app Termux:API installed, from the same source as Termux?'
      throw new TermuxError(`${command} did not answer within ${within_ms / 1_000} s: ${remedy}`, false)
    }
    const reason = (complained || printed).trim().split('\n')[0]
    throw new TermuxError(`${command} failed with status ${status}${reason ? `: ${reason}` : ''}`, false)
  }

  return {
    run,
    async ask(command, args) {
      const printed = await run(command, args)
      try {
        return JSON.parse(printed) as unknown
      } catch {
        throw new TermuxError(`${command} did not print JSON`, false)
      }
    },
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}

function refusalIn(printed: string): string | undefined {
  if (!printed.startsWith('{')) return undefined
  try {
    const { error } = JSON.parse(printed) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
