import type { Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'

/** The standard's way, and Huawei's. */
const COMMANDS = ['AT+CFUN=1,1', 'AT^RESET']

/** Has the modem start anew. Whether it does, its banner tells, or its port; it may not even answer any more. */
export async function startAnew(channel: Pick<Channel, 'ask'>): Promise<void> {
  for (const command of COMMANDS) {
    try {
      await channel.ask(command)
      return
    } catch (error) {
      if (!(error instanceof AtError) || error.reason !== 'refused') return
    }
  }
}
