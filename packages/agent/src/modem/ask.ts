import { cmeError } from '@sdd/sms/error-codes.ts'
import type { Ask, Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import { type Clock, sleep } from '#agent/clock.ts'

/** SIMs were seen busy for some 10 s after a start. */
const BUSY_MOST_MS = 30_000
const BUSY_PAUSE_MS = 500

/**
 * The answer, or undefined where the modem refuses, or says nothing that ends the command: not every modem has every
 * command, and not every one says so. Whether it says anything at all, the next command finds out.
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

/** Asks again while the SIM or the modem says that it is still starting, for at most 30 s. */
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
