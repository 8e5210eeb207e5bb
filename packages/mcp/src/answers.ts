import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { SddError } from '@sdd/client/client.ts'

/** The result of a tool as JSON text. A refusal of the server becomes an error that the assistant can read. */
export async function answer(made: Promise<unknown>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await made, null, 2) }] }
  } catch (error) {
    if (!(error instanceof SddError)) throw error
    const { message, code, fields } = error
    return refusal(JSON.stringify({ detail: message, code, fields }))
  }
}

export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
