import type { ServerResponse } from 'node:http'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Answer } from '@sdd/http/answer.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Limits } from './limits.ts'

/** The client of a download. */
type Downloader = {
  caller: Caller | KeyCaller | undefined
  /** Rejects once the caller may no longer download the file. */
  recheck(): Promise<void>
}

/** How often the caller is checked again during a download. */
const RECHECK_MS = 2_000

/**
 * Streams a file while it is produced. Each piece is requested after the client has read the previous one, and none
 * after the client has gone. The end of the caller's session aborts the response. Throws `busy` if the user, or all
 * users together, have too many downloads under way, because each holds a page of its rows.
 */
type AnswerDownload = (file: CsvFile, downloader: Downloader, response: ServerResponse) => Answer

export function openDownloads(limits: Pick<Limits, 'files' | 'files_per_user'>): AnswerDownload {
  /** The downloads under way. */
  const under_way = new Set<{ name: string }>()

  return function answerDownload({ filename, pieces }, downloader, response) {
    const name = nameDownloader(downloader)
    refuseTooMany(name)
    const body = whileAllowed(pieces, downloader)
    return {
      status: 200,
      type: 'text/csv; charset=utf-8',
      headers: { 'Content-Disposition': `attachment; filename="${filename}"` },
      // A response that has already closed gives no further sign.
      body: response.destroyed ? body : inPlace(body, name, response),
    }
  }

  /** Holds a place until the production of the file stops, or until the client goes before it has begun. */
  function inPlace(pieces: AsyncIterable<string>, name: string, response: ServerResponse) {
    const place = { name }
    under_way.add(place)
    let begun = false
    response.once('close', () => {
      if (!begun) under_way.delete(place)
    })
    return (async function* () {
      begun = true
      try {
        yield* pieces
      } finally {
        under_way.delete(place)
      }
    })()
  }

  function refuseTooMany(name: string): void {
    const own = [...under_way].filter((other) => other.name === name).length
    if (own < limits.files_per_user && under_way.size < limits.files) return
    const who = own < limits.files_per_user ? `All users together have ${limits.files}` : `You have ${own}`
    const why = `${who} downloads under way, which is the limit. Try again when one has ended.`
    throw new Refusal('busy', why, { retry_after_secs: 10 })
  }
}

async function* whileAllowed(pieces: AsyncIterable<string>, { recheck }: Downloader): AsyncGenerator<string> {
  let checked_ms = performance.now()
  for await (const piece of pieces) {
    if (performance.now() - checked_ms >= RECHECK_MS) {
      await recheck()
      checked_ms = performance.now()
    }
    yield piece
  }
}

function nameDownloader({ caller }: Downloader): string {
  if (!caller) return 'anyone'
  return 'user_id' in caller ? `user ${caller.user_id}` : `key ${caller.api_key_id}`
}
