import type { CallFault } from '@sdd/contract/core/client.ts'
import type { faults } from '#console/core/fault-text.ts'

/**
 * The sentence about a refused message: what is wrong with each field, or else about the code. Undefined if the refusal
 * did not come from this API.
 */
export function refusalOf(
  fault: CallFault,
  sentences: typeof faults,
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const fields = Object.entries(sentences.fields(fault))
  if (fields.length === 0) return sentences.refusal(fault)
  return fields.map(([name, wrong]) => `${labels[name] ?? name}: ${wrong}`).join(' ')
}
