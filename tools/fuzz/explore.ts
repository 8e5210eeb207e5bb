import { openChance } from './chance.ts'
import { openCoverage } from './coverage.ts'
import { mutate } from './mutate.ts'
import { foundEarlier, type Target, tryInput } from './target.ts'

export type Progress = { runs: number; blocks: number; corpus: number }
export type Finding = { input: Buffer; error: unknown }

/** Inputs between two readings of the coverage, which cost more than most inputs. */
const BATCH = 200
/** Inputs tried to shrink a finding. */
const MOST_TRIES = 1_000

/**
 * Tries inputs until the time is over, each derived from those that reached new code. Yields after every batch.
 * `findings` has one finding of each kind, as small as possible.
 */
export async function* explore(
  target: Target,
  {
    seed,
    until_ms,
    earlier = [],
    starting = () => {},
  }: { seed: number; until_ms: number; earlier?: readonly Buffer[]; starting?: (input: Buffer) => void },
): AsyncGenerator<Progress & { findings: Finding[]; fresh: Buffer[] }> {
  const chance = openChance(seed)
  const words = target.words.map((word) => Buffer.from(word))
  const corpus = [...target.seeds.map((input) => Buffer.from(input)), ...earlier]
  const coverage = openCoverage()
  const seen = new Set<string>()
  const kinds = new Set<string>()
  let runs = 0

  async function run(input: Buffer): Promise<unknown> {
    runs++
    starting(input)
    try {
      await tryInput(target, input)
      return undefined
    } catch (error) {
      return error
    }
  }

  async function sift(inputs: readonly Buffer[]): Promise<Buffer[]> {
    for (const input of inputs) await run(input)
    const blocks = coverage.take().filter((block) => !seen.has(block))
    if (blocks.length === 0) return []
    if (inputs.length > 1) {
      const half = inputs.length >> 1
      return [...(await sift(inputs.slice(0, half))), ...(await sift(inputs.slice(half)))]
    }
    for (const block of blocks) seen.add(block)
    return [...inputs]
  }

  async function smallest(input: Buffer, kind: string): Promise<Buffer> {
    const until = runs + MOST_TRIES
    for (let size = input.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at + size <= input.length && runs < until;) {
        const shorter = Buffer.concat([input.subarray(0, at), input.subarray(at + size)])
        if (kindOf(await run(shorter)) === kind) input = shorter
        else at += size
      }
    }
    return input
  }

  try {
    await sift([...corpus, ...foundEarlier(target).map(({ input }) => input)])
    while (Date.now() < until_ms) {
      const batch = Array.from({ length: BATCH }, () => mutate(chance, corpus, words))
      const findings: Finding[] = []
      for (const input of batch) {
        const error = await run(input)
        const kind = kindOf(error)
        if (kind === undefined || kinds.has(kind)) continue
        kinds.add(kind)
        const small = await smallest(input, kind)
        findings.push({ input: small, error: await run(small) })
      }
      const blocks = coverage.take().filter((block) => !seen.has(block))
      const fresh = blocks.length > 0 ? await sift(batch) : []
      corpus.push(...fresh)
      // Blocks that no single input reached, only many together or by chance; they are searched for once.
      for (const block of blocks) seen.add(block)
      yield { runs, blocks: seen.size, corpus: corpus.length, findings, fresh }
      // A finding may be a promise that never settles, or a timer, so the event loop needs its turn.
      await new Promise(setImmediate)
    }
  } finally {
    coverage.close()
  }
}

/** The identity of a finding: its message without numbers, and the place of its throw. */
function kindOf(error: unknown): string | undefined {
  if (error === undefined) return undefined
  const { message, stack = '' } = error instanceof Error ? error : new Error(JSON.stringify(error))
  const where = /\n\s+at (.*)/.exec(stack)?.[1] ?? ''
  return `${message
    .split('\n')[0]!
    .replace(/\d+|"[^"]*"|'[^']*'/g, '#')
    .slice(0, 80)} ${where}`
}
