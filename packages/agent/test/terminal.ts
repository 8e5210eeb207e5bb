import type { TestContext } from 'node:test'
import { obey } from '#agent/cli/cli.ts'
import type { World } from '#agent/cli/command.ts'
import { machineClock } from '#agent/clock.ts'
import type { DriverKinds } from '#agent/drivers.ts'
import { openLedger } from '#agent/ledger/ledger.ts'
import { scriptedKind } from '#test/scripted.ts'

type Answer = { status: number; printed: string; complained: string }

/**
 * A person at a terminal, with this agent folder. With `hurry`, time runs that many times as fast. Questions are
 * answered from `typed`.
 */
export function openTerminal(
  t: Pick<TestContext, 'signal'>,
  folder: string,
  {
    kinds = { scripted: scriptedKind() },
    hurry = 1,
    typed = [],
  }: { kinds?: DriverKinds; hurry?: number; typed?: string[] } = {},
) {
  return async function type(...args: string[]): Promise<Answer> {
    const printed: string[] = []
    const complained: string[] = []
    const world: World = {
      config: { folder, in_termux: false, in_journal: true },
      kinds,
      openLedger,
      clock: {
        now: () => Date.now() * hurry,
        uptime: () => performance.now() * hurry,
        after: (ms, run) => machineClock.after(ms / hurry, run),
      },
      random: Math.random,
      ask: (question) => {
        printed.push(question)
        return Promise.resolve(typed.shift() ?? '')
      },
      print: (line) => printed.push(line),
      stop: t.signal,
    }
    const status = await obey(args, world, (line) => complained.push(line))
    return { status, printed: printed.join('\n'), complained: complained.join('\n') }
  }
}
