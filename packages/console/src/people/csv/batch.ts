import { MAX_IMPORTED, ROWS_BYTES } from '@sdd/contract/people/contacts.ts'
import { openPieces } from './pieces.ts'

/** The room that a body leaves for its rows. */
const BATCH_BYTES = ROWS_BYTES - 1_000

/** The rows of the next call: the first of these `count` rows, as many as the server takes. */
export async function nextBatch<Row>(count: number, rowAt: (place: number) => Row): Promise<Row[]> {
  const encoder = new TextEncoder()
  const pieces = openPieces()
  const batch: Row[] = []
  let bytes = 0
  while (batch.length < Math.min(count, MAX_IMPORTED)) {
    const row = rowAt(batch.length)
    bytes += encoder.encode(JSON.stringify(row)).length + 1
    if (bytes > BATCH_BYTES && batch.length > 0) break
    batch.push(row)
    await pieces()
  }
  return batch
}
