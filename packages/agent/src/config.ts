import { homedir } from 'node:os'
import { join } from 'node:path'

/** The settings from the environment. Nothing else in the agent reads it. */
export type Config = {
  /** The agent's folder unless `--dir` names another. */
  readonly folder: string
  /** Whether the agent runs on a phone, in Termux. */
  readonly in_termux: boolean
  /** Whether the log goes to journald, which adds the time itself. */
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
