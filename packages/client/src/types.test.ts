import { test } from 'node:test'
import type * as callbacks from '@sdd/contract/outward/callbacks.ts'
import type * as conversations from '@sdd/contract/people/conversations.ts'
import type * as tasks from '@sdd/contract/tasks/tasks.ts'
import type { Written } from '@sdd/contract/core/route.ts'
import type * as client from './types.ts'

/** `Sent` fits where `Expected` is expected, and both have the same fields. */
type Fits<Sent extends Expected, Expected> = [keyof Sent, keyof Expected] extends [keyof Expected, keyof Sent]
  ? true
  : false

type Checked = [
  Fits<tasks.Task, client.Task>,
  Fits<tasks.TaskReceipt, client.TaskReceipt>,
  Fits<conversations.ReceivedSms, client.ReceivedSms>,
  Fits<callbacks.CallbackBody, client.TaskEvent>,
  Fits<callbacks.ReceivedBody, client.ReceivedEvent>,
  Fits<callbacks.TestBody, client.TestEvent>,
  Fits<client.NewTask, Written<typeof tasks.NewTask>>,
]

test('the types of the published package are those of the contract', () => {
  // The compiler checks it: a difference is an error here.
  const checked: Checked = [true, true, true, true, true, true, true]
  void checked
})
