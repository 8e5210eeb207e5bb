import { messageQuery } from '#console/insight/log/log.ts'
import { TasksScreen } from '#console/tasks/tasks-screen.tsx'

/** The tasks, with each task's record from the log. */
export function TasksPage() {
  return <TasksScreen recordQuery={messageQuery} />
}
