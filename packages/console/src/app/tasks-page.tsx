import { messageQuery } from '#console/insight/log/log.ts'
import { TasksScreen } from '#console/tasks/tasks-screen.tsx'

/** The tasks, with the record of each as the log has it. */
export function TasksPage() {
  return <TasksScreen recordQuery={messageQuery} />
}
