import {
  createWebhook,
  deleteWebhook,
  endPreviousSecret,
  listCallbacks,
  listWebhooks,
  readCallback,
  repeatCallback,
  repeatDeadCallbacks,
  rotateWebhook,
  testWebhook,
  type Callback,
  type CallbackState,
  type MadeWebhook,
  type NewWebhook,
  type TestResult,
} from '@sdd/contract/outward/callbacks.ts'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { callApi, faultText } from '#console/core/api.ts'
import { parsePage, pagesQuery } from '#console/core/pages.ts'
import { callbacks as words } from './text.ts'
import type { Mark, Tone } from '#console/ui/marks.tsx'
import { toast } from '#console/ui/toast.tsx'

export const webhooksQuery = queryOptions({
  queryKey: ['callbacks', 'webhooks'],
  queryFn: async ({ signal }) => (await callApi(listWebhooks, { signal })).webhooks,
})

export type CallbackFilter = { state: CallbackState | undefined; guid: string | undefined }

/** The callbacks to other systems, newest first. */
export function callbacksQuery({ state, guid }: CallbackFilter) {
  return pagesQuery<Callback>(['callbacks', 'log', state, guid], (cursor, signal) =>
    callApi(listCallbacks, { query: { state, guid, cursor }, signal }, (body) =>
      parsePage(body, 'callbacks'),
    ),
  )
}

/** One callback with its body, and the one for which it waits. */
export function callbackQuery(id: number) {
  return queryOptions({
    queryKey: ['callbacks', 'one', id],
    queryFn: ({ signal }) => callApi(readCallback, { params: { id: String(id) }, signal }),
  })
}

/** Posts one signed test event, and returns the outcome. */
export function sendTest(id: number): Promise<TestResult> {
  return callApi(testWebhook, { params: { id: String(id) } })
}

/** Sends dead callbacks again, as many as the server takes in one call. */
export function repeatAllDead(): Promise<{ repeated: number; more: boolean }> {
  return callApi(repeatDeadCallbacks, {})
}

/** Adds a webhook for the given company, or for the user's own if undefined. */
export function addWebhook(webhook: NewWebhook, company: number | undefined): Promise<MadeWebhook> {
  const query = { company: company === undefined ? undefined : String(company) }
  return callApi(createWebhook, { body: webhook, query })
}

export function rotateSecret(id: number, overlap_hours: number): Promise<MadeWebhook> {
  return callApi(rotateWebhook, { params: { id: String(id) }, body: { overlap_hours } })
}

/** Ends the overlap of a rotation: the previous secret no longer signs, the new one does. */
export async function endSecretOverlap(id: number): Promise<void> {
  await callApi(endPreviousSecret, { params: { id: String(id) } })
}

export async function removeWebhook(id: number): Promise<void> {
  await callApi(deleteWebhook, { params: { id: String(id) } })
}

/** Posts a callback again, and shows the outcome. */
export function useRepeat() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: Callback) =>
      callApi(repeatCallback, { params: { id: String(id) } }, () => undefined),
    onSuccess: (_, { guid }) => toast({ text: words.repeated(guid) }),
    onError: (fault, { guid }) => toast({ text: `${guid}: ${faultText(fault, words.repeatFailed)}` }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['callbacks'] }),
  })
}

export const callbackStateMarks: Record<CallbackState, { tone: Tone; mark: Mark }> = {
  waiting: { tone: 'info', mark: 'arc' },
  delivered: { tone: 'ok', mark: 'check' },
  dead: { tone: 'bad', mark: 'cross' },
}
