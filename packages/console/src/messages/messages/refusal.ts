import type { CallFault } from '@sdd/contract/core/client.ts'
import type { faults } from '#console/core/fault-text.ts'

/** Why a message is refused: the fault of each field, or a sentence about the code; undefined without a code. */
export function refusalOf(
  fault: CallFault,
  sentences: typeof faults,
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const fields = Object.entries(sentences.fields(fault))
  if (fields.length === 0) return sentences.refusal(fault)
  return fields.map(([name, wrong]) => `${labels[name] ?? name}: ${wrong}`).join(' ')
}
