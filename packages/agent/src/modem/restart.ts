import type { Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'

/** The standard command, and Huawei's. */
const COMMANDS = ['AT+CFUN=1,1', 'AT^RESET']

/**
 * Asks the modem to restart. Its banner or its port shows whether it does; it may not even answer this command. False if
 * it refuses.
 */
export async function restartModem(channel: Pick<Channel, 'ask'>): Promise<boolean> {
  for (const command of COMMANDS) {
    try {
      await channel.ask(command)
      return true
    } catch (error) {
      if (!(error instanceof AtError) || error.reason !== 'refused') return true
    }
  }
  return false
}
