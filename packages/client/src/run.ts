import type { Sdd } from './client.ts'

type Flags = 'json' | 'wait' | 'follow'
type Texts = 'guid' | 'from' | 'class' | 'state' | 'search' | 'from-time' | 'to-time' | 'limit'

/** The options of the command line. */
export type Options = { readonly [name in Flags]?: boolean } & { readonly [name in Texts]?: string }

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
