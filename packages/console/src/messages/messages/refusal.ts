import type { CallFault } from '@sdd/contract/core/client.ts'
import type { faults } from '#console/core/fault-text.ts'

/** The sentence about a refused message: on each invalid field, or on the code. Undefined for refusals of other programs. */
export function refusalOf(
  fault: CallFault,
  sentences: typeof faults,
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const fields = Object.entries(sentences.fields(fault))
  if (fields.length === 0) return sentences.refusal(fault)
  return fields.map(([name, wrong]) => `${labels[name] ?? name}: ${wrong}`).join(' ')
}
