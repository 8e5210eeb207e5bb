import { lazyPart } from '#console/core/language.ts'
import { TasksScreen } from '#console/tasks/tasks-screen.tsx'

const TaskDetails = lazyPart(() => import('./task-details.tsx'))

export function TasksPage() {
  return <TasksScreen TaskDetails={TaskDetails} />
}
