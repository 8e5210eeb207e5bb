import { type Profiler, Session } from 'node:inspector'

export type Coverage = {
  /** The explored places that have run since the last call. */
  take(): string[]
  close(): void
}

/** The explored code: the product, and the targets' own checks of its results. */
const EXPLORED = /\/(packages|tools\/fuzz\/targets)\/(?!.*node_modules)/

/** V8's block coverage of this thread. Nothing is instrumented or rewritten. */
export function openCoverage(): Coverage {
  const session = new Session()
  session.connect()
  // On its own thread, the inspector answers before `post` returns.
  const ask = <T>(method: string, params?: object): T => {
    let answer: T | undefined
    session.post(method, params, (error, result) => {
      if (error) throw error
      answer = result as T
    })
    return answer!
  }
  ask('Profiler.enable')
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  // V8 lists a block only if its count differs from that of its surroundings, so all places ever listed are kept.
  const places = new Map<string, Set<number>>()

  function ran(scriptId: string, { ranges }: Profiler.FunctionCoverage): string[] {
    const [whole] = ranges
    if (!whole || whole.count === 0) return []
    const name = `${scriptId} ${whole.startOffset}`
    const known = places.getOrInsertComputed(name, () => new Set())
    for (const { startOffset, endOffset } of ranges) known.add(startOffset).add(endOffset)
    return [...known].filter((place) => countAt(ranges, place) > 0).map((place) => `${name} ${place}`)
  }

  return {
    take() {
      const { result } = ask<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage')
      return result
        .filter(({ url }) => EXPLORED.test(url))
        .flatMap(({ scriptId, functions }) => functions.flatMap((one) => ran(scriptId, one)))
    },
    close() {
      ask('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

/** Ranges come from the outermost to the innermost; 0 for a place after all of them. */
function countAt(ranges: readonly Profiler.CoverageRange[], place: number): number {
  return (
    ranges.findLast(({ startOffset, endOffset }) => startOffset <= place && place < endOffset)?.count ?? 0
  )
}
