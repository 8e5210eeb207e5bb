import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { SddError } from '@sdd/client/client.ts'

/** The result of a tool as JSON text. A refusal of the server becomes an error that the assistant can read. */
export async function answer(made: Promise<unknown>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await made, null, 2) }] }
  } catch (error) {
    if (!(error instanceof SddError)) throw error
    const { message, code, fields, status, tasks } = error
    const guid = status === 0 || status >= 500 ? tasks[0]?.guid : undefined
    return refusal(JSON.stringify({ detail: message, code, fields, ...(guid && { guid, note: UNCERTAIN }) }))
  }
}

const UNCERTAIN =
  'The SMS may be on its way. Read the task with this guid, or send the same SMS again with it: it goes out once.'

export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
