import { apiKeyRoutes } from './api-keys/routes.ts'
import type { App } from './app.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import type { Serve } from './core/http/serve.ts'
import type { Take } from './core/topics.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { destinationRoutes } from './destinations/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { deviceTopics } from './devices/topics.ts'
import { messageRoutes } from './messages/routes.ts'
import { messageTopics } from './messages/topics.ts'
import { optOutRoutes } from './opt-outs/routes.ts'
import { quotaRoutes } from './quotas/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { userRoutes } from './users/routes.ts'

/** Every route of the contract, with what each feature answers. */
export function serveRoutes(serve: Serve, app: App): void {
  authRoutes(serve, app)
  userRoutes(serve, app)
  deviceRoutes(serve, app)
  messageRoutes(serve, app)
  taskRoutes(serve, app)
  apiKeyRoutes(serve, app)
  callbackRoutes(serve, app)
  optOutRoutes(serve, app)
  auditRoutes(serve, app)
  dashboardRoutes(serve, app)
  settingsRoutes(serve, app)
  destinationRoutes(serve, app)
  quotaRoutes(serve, app)
}

/** Every topic of the devices, with what each feature makes of it. */
export function takeTopics(take: Take, app: App): void {
  deviceTopics(take, app)
  messageTopics(take, app)
}
