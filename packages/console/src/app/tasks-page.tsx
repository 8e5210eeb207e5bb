import { messageQuery } from '#console/insight/log/log.ts'
import { TasksScreen } from '#console/tasks/tasks-screen.tsx'

export function TasksPage() {
  return <TasksScreen recordQuery={messageQuery} />
}
