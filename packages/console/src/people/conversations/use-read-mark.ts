import type { Conversation, ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { change, type ConversationRef } from './conversations.ts'

/**
 * Marks the shown messages as read while the window is visible, once for each last message: a person may mark it as
 * unread again.
 */
export function useReadMark(
  of: ConversationRef,
  thread: { conversation: Conversation | undefined; messages: readonly ConversationMessage[] } | undefined,
): void {
  const client = useQueryClient()
  const marked = useRef<string>(undefined)
  const visible = useSyncExternalStore(whenShown, () => document.visibilityState === 'visible')
  const { mutate } = useMutation({
    mutationKey: ['conversations', 'read'],
    mutationFn: (read_to: string) => change(of, { read_to }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversations'] }),
  })
  const last = thread?.messages.findLast(({ direction }) => direction === 'in')?.id
  const unread = (thread?.conversation?.unread ?? 0) > 0
  useEffect(() => {
    if (!visible || !unread || last === undefined || last === marked.current) return
    marked.current = last
    mutate(last)
  }, [visible, unread, last, mutate])
}

function whenShown(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
