export function writePage(): string[] {
  return []
}
