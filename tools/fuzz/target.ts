import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

/** One door through which strangers' bytes come in. */
export type Target = {
  name: string
  /** The package whose tests keep what was found. */
  package: 'contract' | 'sms' | 'http' | 'server' | 'agent'
  /** Good inputs, to begin with. */
  seeds: readonly (string | Buffer)[]
  /** What means something to it. */
  words: readonly (string | Buffer)[]
  /** Throws, or rejects, where it does what it should not. */
  check(input: Buffer): void | Promise<void>
}

/** CPU time that one input may take: some hundred times what the slowest takes. */
export const WITHIN_MS = 1_000

/** Runs one input. Throws what the target does wrong; time and memory without bounds are wrong too. */
export async function tryInput(target: Target, input: Buffer): Promise<void> {
  const before = process.threadCpuUsage()
  const checked = target.check(input)
  if (checked) await checked
  const { user } = process.threadCpuUsage(before)
  if (user > WITHIN_MS * 1_000)
    throw new Error(`It took ${Math.round(user / 1_000)} ms for ${input.length} bytes`)
}

/** Where the inputs lie that once went wrong. */
export function folderOf(target: Target): string {
  return join(ROOT, 'packages', target.package, 'test/fixtures/fuzz', target.name)
}

/** What once went wrong: each is tried again by the tests. */
export function foundEarlier(target: Target): { name: string; input: Buffer }[] {
  return read(folderOf(target))
}

export function keepFinding(target: Target, input: Buffer): string {
  return keep(folderOf(target), input)
}

/** Inputs that get far, from earlier runs on this machine. */
export function corpusOf(target: Target): Buffer[] {
  return read(cacheOf(target)).map(({ input }) => input)
}

export function keepInCorpus(target: Target, input: Buffer): void {
  keep(cacheOf(target), input)
}

function cacheOf(target: Target): string {
  return join(ROOT, 'node_modules/.cache/fuzz', target.name)
}

function read(folder: string): { name: string; input: Buffer }[] {
  let names: string[] = []
  try {
    names = readdirSync(folder).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return names.map((name) => ({ name, input: readFileSync(join(folder, name)) }))
}

function keep(folder: string, input: Buffer): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16))
  writeFileSync(path, input)
  return path
}
