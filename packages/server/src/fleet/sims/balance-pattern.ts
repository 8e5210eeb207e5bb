/** A number that may have a decimal point or comma. It is not a part of a longer number. */
const AMOUNT = String.raw`(?<!\d)(?<!\d[.,])(-?\d{1,15}(?:[.,]\d{1,6})?)(?![.,]?\d)`

/**
 * The amount in an answer that contains the pattern: its text in any case, `*` for anything, and `{amount}` for the
 * number. `undefined` if the answer does not fit.
 */
export function readAmount(pattern: string, answer: string): number | undefined {
  let from = 0
  let amount: number | undefined
  // Each piece is looked for behind the one before it. One expression for all of them could take very long.
  for (const piece of pattern.split('*')) {
    const found = expressionOf(piece)
    found.lastIndex = from
    const match = found.exec(answer)
    if (match === null) return undefined
    from = found.lastIndex
    if (match[1] !== undefined) amount = Number(match[1].replace(',', '.'))
  }
  return amount
}

function expressionOf(piece: string): RegExp {
  const [before, after] = piece.split('{amount}') as [string, string | undefined]
  return new RegExp(after === undefined ? textOf(before) : textOf(before) + AMOUNT + textOf(after), 'giu')
}

/** Networks write blanks and line breaks as they like. */
function textOf(text: string): string {
  return text
    .split(/\s+/)
    .map((word) => RegExp.escape(word))
    .join(String.raw`\s+`)
}
