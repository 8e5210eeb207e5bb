import type { Conversation, ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { change, type ConversationRef } from './conversations.ts'

type Thread = { conversation: Conversation | undefined; messages: readonly ConversationMessage[] }

/**
 * Marks the shown messages as read while the window is visible, once for each last message: a person may mark it as
 * unread again. A failed mark is repeated when the thread is loaded or the window is shown again. Call the returned
 * function before a mark as unread: the messages of the next finished load stay unread.
 */
export function useReadMark(
  of: ConversationRef,
  { data: thread, isFetching }: { data: Thread | undefined; isFetching: boolean },
): () => void {
  const client = useQueryClient()
  const marked = useRef<string>(undefined)
  const leavesUnread = useRef(false)
  const visible = useSyncExternalStore(whenShown, () => document.visibilityState === 'visible')
  const { mutate } = useMutation({
    mutationKey: ['conversations', 'read'],
    mutationFn: (read_to: string) => change(of, { read_to }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversations'] }),
    onError: () => {
      marked.current = undefined
    },
  })
  const last = thread?.messages.findLast(({ direction }) => direction === 'in')?.id
  const unread = (thread?.conversation?.unread ?? 0) > 0
  useEffect(() => {
    // A cached thread may be out of date until it is loaded.
    if (!isFetching && (!unread || leavesUnread.current)) {
      marked.current = last
      leavesUnread.current = false
    }
    if (!visible || !unread || last === undefined || last === marked.current) return
    marked.current = last
    mutate(last)
  }, [visible, unread, isFetching, last, mutate])
  return () => (leavesUnread.current = true)
}

function whenShown(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
