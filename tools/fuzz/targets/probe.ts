/** Fails for one text only, which a fuzzer finds only if it sees how far each attempt got. */
export function probe(text: string): void {
  if (text[0] !== 'S') return
  if (text[1] !== 'M') return
  if (text[2] !== 'S') return
  throw new Error('the probe was found')
}
