import type { ServerResponse } from 'node:http'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Answer } from '@sdd/http/answer.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Limits } from './limits.ts'

/** Who takes a file. */
type Taker = {
  caller: Caller | KeyCaller | undefined
  /** Rejects once the caller may no longer take it. */
  recheck(): Promise<void>
}

/** How often a caller is checked again while a file goes out. */
const RECHECK_MS = 2_000

/**
 * Answers with a file as it is made: the next piece is asked for when the client has taken the one before it, and none
 * after the client has gone. The end of the caller's session breaks the answer off. `busy`: a user, or all together,
 * have as many under way as they may, as each holds a page of its rows.
 */
export type AnswerDownload = (file: CsvFile, taker: Taker, response: ServerResponse) => Answer

export function openDownloads(limits: Pick<Limits, 'files' | 'files_per_user'>): AnswerDownload {
  /** The taker of each file that is under way. */
  const under_way: string[] = []

  return function answerDownload({ filename, pieces }, taker, response) {
    const name = nameTaker(taker)
    refuseTooMany(name)
    under_way.push(name)
    response.once('close', () => under_way.splice(under_way.indexOf(name), 1))
    return {
      status: 200,
      type: 'text/csv; charset=utf-8',
      headers: { 'Content-Disposition': `attachment; filename="${filename}"` },
      body: whileAllowed(pieces, taker),
    }
  }

  function refuseTooMany(name: string): void {
    const own = under_way.filter((other) => other === name).length
    if (own < limits.files_per_user && under_way.length < limits.files) return
    const who = own < limits.files_per_user ? `All together take ${limits.files}` : `You take ${own}`
    const why = `${who} files already, which is the most at once. Try again when one has ended.`
    throw new Refusal('busy', why, { retry_after_secs: 10 })
  }
}

async function* whileAllowed(pieces: AsyncIterable<string>, { recheck }: Taker): AsyncGenerator<string> {
  let checked_ms = performance.now()
  for await (const piece of pieces) {
    if (performance.now() - checked_ms >= RECHECK_MS) {
      await recheck()
      checked_ms = performance.now()
    }
    yield piece
  }
}

function nameTaker({ caller }: Taker): string {
  if (!caller) return 'anyone'
  return 'user_id' in caller ? `user ${caller.user_id}` : `key ${caller.api_key_id}`
}
