import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Sdd } from '@sdd/client/client.ts'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { measureText } from '@sdd/sms/segments.ts'
import * as z from 'zod'
import { answer, refusal } from './answers.ts'
import type { Sending } from './config.ts'

const sms = {
  to_number: z.string().min(3).max(64).describe('The phone number, with its country code'),
  text: z.string().min(1).max(2_000),
}
const guid = z
  .string()
  .max(64)
  .optional()
  .describe('Only to repeat an SMS that may be on its way: the guid that its error named')
type Sms = { to_number: string; text: string }

const PERSON_WITHIN_MS = 10 * 60_000

/** A tool that drafts, and one that sends if a person agrees. */
export function addSending(server: McpServer, { sdd, sending }: { sdd: Sdd; sending: Sending }): void {
  server.registerTool(
    'draft_message',
    {
      description: 'Drafts an SMS: tells how many parts it takes. Nothing is sent or stored.',
      inputSchema: sms,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (draft) => answer(Promise.resolve({ ...draft, parts: partsOf(draft) })),
  )
  if (sending === 'off') return
  server.registerTool(
    'send_message',
    {
      description:
        sending === 'confirmed'
          ? 'Sends an SMS after the person has agreed to its number and text. It cannot be taken back.'
          : 'Sends an SMS at once. It cannot be taken back.',
      inputSchema: { ...sms, guid },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    },
    async (draft, { signal }) => {
      if (sending === 'confirmed') {
        const objection = await askPerson(server, draft, signal)
        if (objection !== undefined) return refusal(objection)
      }
      return answer(sdd.send(draft, { signal }))
    },
  )
}

/** Shows the SMS to the person. Resolves to the reason if it is not to be sent. */
async function askPerson(
  { server }: McpServer,
  draft: Sms,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (server.getClientCapabilities()?.elicitation === undefined)
    return 'Nothing was sent: this client cannot ask the person. Show the draft, so that the person sends it.'
  const parts = partsOf(draft)
  try {
    const { action, content } = await server.elicitInput(
      {
        message: `Send this SMS${parts > 1 ? ` (${parts} parts)` : ''} to ${draft.to_number}?\n\n${draft.text}`,
        requestedSchema: {
          type: 'object',
          properties: { send: { type: 'boolean', title: 'Send it', default: false } },
          required: ['send'],
        },
      },
      { signal, timeout: PERSON_WITHIN_MS },
    )
    return action === 'accept' && content?.send === true
      ? undefined
      : 'Nothing was sent: the person did not agree.'
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== (ErrorCode.RequestTimeout as number)) throw error
    return 'Nothing was sent: the person did not answer in time.'
  }
}

function partsOf({ text }: Sms): number {
  return measureText(text).segments
}
