import type { Tx } from './schema.ts'

/**
 * Empties the search index, so that it is filled again without case and accents. Until then older messages are searched
 * row by row.
 */
export async function foldSearchIndex(tx: Tx): Promise<void> {
  if (tx.engine === 'postgres') await tx.query('truncate message_search')
  else {
    await tx.query('drop table message_search')
    await tx.query(`create virtual table message_search using fts5(
      text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1')`)
  }
  await tx.query('update message_search_reach set id = 0')
}
