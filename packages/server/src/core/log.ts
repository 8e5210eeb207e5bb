import { pino, stdTimeFunctions, type LevelWithSilent, type Logger } from 'pino'
import { prettyLine } from './pretty.ts'

type Out = NodeJS.WritableStream & { isTTY?: boolean }

/**
 * The log, on stdout: one JSON object per line, with `time` in ISO 8601 and `level` as a word. If stdout is a terminal,
 * the lines are formatted for people. Known secrets are censored in the first two levels of an entry.
 */
export function openLog(level: LevelWithSilent, out: Out = process.stdout): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
    },
    // pino writes one line at a time.
    out.isTTY ? { write: (line) => void out.write(prettyLine(line)) } : out,
  )
}

const SECRETS = 'password password_hash secret secret_hash token access_token authorization cookie key'.split(
  ' ',
)
