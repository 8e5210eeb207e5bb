import { after } from 'node:test'

type End = () => unknown
const ends: End[] = []

/**
 * Runs once the test file has ended, also if its tests fail: for helpers that start processes. The last one first.
 * Several files may share a process, so a hook of the helper itself would run after the first of them only.
 */
export function atEndOfFile(end: End): void {
  ends.push(end)
}

export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

// For a file that has its process to itself.
after(endFile)
