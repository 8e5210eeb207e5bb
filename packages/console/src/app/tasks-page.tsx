import { lazyPart } from '#console/ui/lazy-part.tsx'
import { TasksScreen } from '#console/tasks/tasks-screen.tsx'

const TaskDetails = lazyPart(() => import('./task-details.tsx'))

export function TasksPage() {
  return <TasksScreen TaskDetails={TaskDetails} />
}
