import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the environment says. Nothing else in the agent reads it. */
export type Config = {
  /** The agent's folder where `--dir` names no other. */
  readonly folder: string
  /** On a phone, in Termux. */
  readonly in_termux: boolean
  /** The log goes to journald, which writes the time itself. */
  readonly in_journal: boolean
}

export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): Config {
  const { XDG_DATA_HOME, TERMUX_VERSION, JOURNAL_STREAM } = env
  return {
    folder: XDG_DATA_HOME ? join(XDG_DATA_HOME, 'sms-drone-dash') : join(home, '.sms-drone-dash'),
    in_termux: Boolean(TERMUX_VERSION),
    in_journal: Boolean(JOURNAL_STREAM),
  }
}
