import type { Sdd } from './client.ts'

export type Options = { readonly [name: string]: string | boolean | undefined }

export type Run = {
  sdd: Sdd
  args: readonly string[]
  options: Options
  /** Writes a line, or a piece of a file. */
  say: (line: string) => void
  write: (piece: string) => void
  readInput: () => Promise<string>
  signal: AbortSignal
}

export type Command = {
  /** As shown in the help. */
  usage: string
  about: string
  /** How many words follow its name. */
  words: number
  /** Resolves to the exit status. */
  run: (run: Run) => Promise<number>
}
