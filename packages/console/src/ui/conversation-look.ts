import '#console/ui/conversation.css'

/** The classes of a list of conversations and of a thread. Their styles are loaded only with them. */
export const conversationLook = {
  pane: 'conversation-pane',
  fresh: 'conversation-fresh',
  item: 'conversation-item',
  unread: 'conversation-unread',
  scroller: 'thread-scroller',
  day: 'thread-day',
  bubble: 'thread-bubble',
  wait: 'thread-wait',
  field: 'thread-field',
} as const
