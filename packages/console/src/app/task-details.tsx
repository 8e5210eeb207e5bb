import type { ComponentProps } from 'react'
import { messageQuery } from '#console/insight/log/log.ts'
import TaskDialog from '#console/tasks/task-dialog.tsx'

/** The details of a task, read as those of its message. */
export default function TaskDetails(props: Omit<ComponentProps<typeof TaskDialog>, 'recordQuery'>) {
  return <TaskDialog {...props} recordQuery={messageQuery} />
}
