/** Goes wrong for one text alone, which nobody hits upon who does not see how far each attempt got. */
export function probe(text: string): void {
  if (text[0] !== 'S') return
  if (text[1] !== 'M') return
  if (text[2] !== 'S') return
  throw new Error('the probe was found')
}
