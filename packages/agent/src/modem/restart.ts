import type { Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'

/** The standard command, and Huawei's. */
const COMMANDS = ['AT+CFUN=1,1', 'AT^RESET']

/** Asks the modem to restart. Its banner or its port shows whether it does; it may not even answer this command. */
export async function restartModem(channel: Pick<Channel, 'ask'>): Promise<void> {
  for (const command of COMMANDS) {
    try {
      await channel.ask(command)
      return
    } catch (error) {
      if (!(error instanceof AtError) || error.reason !== 'refused') return
    }
  }
}
