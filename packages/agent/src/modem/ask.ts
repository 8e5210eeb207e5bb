import { cmeError } from '@sdd/sms/error-codes.ts'
import type { Ask, Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import { type Clock, sleep } from '#agent/clock.ts'

/** SIMs were seen busy for some 10 s after a start. */
const BUSY_MOST_MS = 30_000
const BUSY_PAUSE_MS = 500

/**
 * The answer, or undefined if the modem refuses the command or never ends its answer. Not every modem has every
 * command, and some do not say so. The next command finds out if the modem is silent altogether.
 */
export async function askIfKnown(
  channel: Pick<Channel, 'ask'>,
  command: string,
  options?: Ask,
): Promise<string[] | undefined> {
  try {
    return await channel.ask(command, options)
  } catch (error) {
    if (!(error instanceof AtError) || error.command !== command) throw error
    if (error.reason === 'refused' || error.reason === 'timeout') return undefined
    throw error
  }
}

/** Repeats the command while the SIM or the modem is still starting, for at most 30 s. */
export async function askWhenFree(
  { channel, clock }: { channel: Pick<Channel, 'ask'>; clock: Clock },
  command: string,
  options?: Ask,
): Promise<string[]> {
  const until = clock.uptime() + BUSY_MOST_MS
  for (;;) {
    try {
      return await channel.ask(command, options)
    } catch (error) {
      if (!isBusy(error) || clock.uptime() >= until) throw error
    }
    await sleep(clock, BUSY_PAUSE_MS)
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof AtError) || !error.failure) return false
  const { from, code } = error.failure
  if (code === null) return false
  return from === 'cme' ? cmeError(code).kind === 'wait' : from === 'cms' && code === 314
}
