import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fold, spellingsOf } from './fold.ts'
import { addTextFunctions } from './sqlite/text-functions.ts'

test('a folded text has small letters without accents, each in its place', () => {
  for (const [text, folded] of [
    ['REVISION', 'revision'],
    ['Revisión de la Cañería', 'revision de la caneria'],
    ['Ñandú Ærø, straße', 'nandu ærø, straße'],
    ['ΑΘΗΝΑ Москва Ё', 'αθηνα москва ё'],
    ['ĞÜŞİ 日本 😀 50 %', 'gusi 日本 😀 50 %'],
  ] as const) {
    assert.equal(fold(text), folded)
    assert.equal(text.length, folded.length)
    assert.equal(fold(folded), folded)
  }
})

test('the spellings of a letter are all that fold to it', () => {
  for (const spelling of spellingsOf('n')) assert.equal(fold(spelling), 'n')
  for (const one of 'NñÑńŇ') assert.ok(spellingsOf('n').includes(one), one)
  assert.equal(spellingsOf('7'), '')
})

test("SQLite's index of trigrams folds every letter as we do", () => {
  const db = new DatabaseSync(':memory:')
  db.exec(`create virtual table texts using fts5(
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1')`)
  const missed: string[] = []
  for (let code = 0x41; code < 0x2000; code++) {
    const character = String.fromCodePoint(code)
    const base = fold(character)
    if (base === character) continue
    db.prepare('insert into texts (rowid, text) values (?, ?)').run(code, `<${character}>`)
    const found = db
      .prepare('select rowid from texts where texts match ? and rowid = ?')
      .get(`"<${base}>"`, code)
    if (!found) missed.push(character)
  }
  db.close()
  assert.deepEqual(missed, [])
})

test('SQLite compares folded texts', () => {
  const db = new DatabaseSync(':memory:')
  addTextFunctions(db)
  const contains = db.prepare('select contains_folded(?, ?) as found')
  assert.deepEqual({ ...contains.get('Mañana a las 10', 'manana') }, { found: 1 })
  assert.deepEqual({ ...contains.get('Mañana a las 10', 'tarde') }, { found: 0 })
  db.close()
})
