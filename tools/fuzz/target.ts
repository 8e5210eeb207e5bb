import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

/** One entrance for untrusted bytes. */
export type Target = {
  name: string
  /** The package whose tests keep the findings. */
  package: 'contract' | 'sms' | 'http' | 'server' | 'agent'
  /** Valid inputs to start with. */
  seeds: readonly (string | Buffer)[]
  /** Words that mean something to the target. */
  words: readonly (string | Buffer)[]
  /** Throws or rejects if the target misbehaves. */
  check(input: Buffer): void | Promise<void>
}

/** The allowed CPU time of one input: some hundred times that of the slowest. */
export const WITHIN_MS = 1_000

/** Runs one input. Throws on misbehaviour, which includes unbounded time and memory. */
export async function tryInput(target: Target, input: Buffer): Promise<void> {
  const before = process.threadCpuUsage()
  const checked = target.check(input)
  if (checked) await checked
  const { user } = process.threadCpuUsage(before)
  if (user > WITHIN_MS * 1_000)
    throw new Error(`It took ${Math.round(user / 1_000)} ms for ${input.length} bytes`)
}

/** The folder of this target's past findings. */
function folderOf(target: Target): string {
  return join(ROOT, 'packages', target.package, 'test/fixtures/fuzz', target.name)
}

/** Past findings, which the tests repeat. */
export function foundEarlier(target: Target): { name: string; input: Buffer }[] {
  return read(folderOf(target))
}

export function keepFinding(target: Target, input: Buffer): string {
  return keep(folderOf(target), input)
}

/** Successful inputs from earlier runs on this machine. */
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
