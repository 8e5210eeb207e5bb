import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { BACKUP_FOLDER } from '@sdd/storage/sqlite/files.ts'
import { routes } from '@sdd/contract/app/api.ts'
import { sourcePath } from '#server/core/source-path.ts'
import { openKeys } from '#server/accounts/api-keys/authenticating.ts'
import { openAuditBatch } from '#server/accounts/audit/batch.ts'
import { openRefusals } from '#server/accounts/audit/refusals.ts'
import { authenticate } from '#server/accounts/auth/auth.ts'
import { openHashing } from '#server/accounts/passwords/hashing.ts'
import { openPasswords } from '#server/accounts/passwords/passwords.ts'
import { makeFirstUser } from '#server/accounts/users/users.ts'
import { openTls, watchCertificate } from '#server/core/certificate.ts'
import { ConfigError } from '#server/core/config.ts'
import { watchEventLoop } from '#server/core/event-loop.ts'
import { openHttp } from '#server/core/http/http.ts'
import { warnIfInTheClear } from '#server/core/no-tls-warning.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openSecurityLog } from '#server/core/security-log.ts'
import { openResendTo } from '#server/dispatch/resending.ts'
import { handleTopics } from '#server/dispatch/topics.ts'
import { openTaskQuota } from '#server/accounts/quotas/enforcing.ts'
import { watchDevices } from '#server/fleet/devices/metrics.ts'
import { connectToExternalBroker } from '#server/fleet/transport/at-broker.ts'
import { openHook } from '#server/fleet/transport/broker-hook.ts'
import { watchConnections } from '#server/fleet/transport/metrics.ts'
import { openDestinationRules } from '#server/messages/destinations/rules.ts'
import { watchMessages } from '#server/messages/messages/metrics.ts'
import { openUrlCheck } from '#server/outward/callbacks/addresses.ts'
import { watchCallbacks } from '#server/outward/callbacks/metrics.ts'
import { openPosting } from '#server/outward/callbacks/posting.ts'
import { startAlertChecks } from '#server/outward/alerts/checking.ts'
import { openMailing } from '#server/outward/alerts/mailing.ts'
import { startAlertTelling } from '#server/outward/alerts/telling.ts'
import { type Doors, openDoors } from '#server/outward/doors/doors.ts'
import { holdRestored } from '#server/people/campaigns/stopping.ts'
import { watchTasks } from '#server/tasks/metrics.ts'
import { openAnnouncements } from './announcing.ts'
import { type Keep, type Needs, openBase } from './base.ts'
import { openConnections } from './connections.ts'
import { watchDisk } from './disk-metrics.ts'
import { listenMqtt } from './mqtt.ts'
import { readinessOf } from './readiness.ts'
import { serveRoutes } from './serving.ts'
import { startWork } from './work.ts'

type RunningApp = {
  /** The address of the console. */
  url: string
  mqtt_port: number | undefined
  /** The port of MQTT over TLS, if there is a certificate. */
  mqtts_port: number | undefined
  /** The ports of the open doors for other programs. */
  kannel_port: number | undefined
  smpp_port: number | undefined
  smtp_port: number | undefined
  /** The first superadmin, if this start created it; the password, if it was generated. */
  firstUser: { username: string; password: string | undefined } | undefined
  /** Checks the certificate's files now, if there are any. */
  renewCertificate(): void
  stop(): Promise<void>
}

const CONSOLE = join(sourcePath('app/app.ts'), '../../../../console/dist')

/** Starts everything, or throws `ConfigError` if a setting cannot be used; then nothing is left running. */
export async function startApp(needs: Needs): Promise<RunningApp> {
  const kept: { stop(): unknown }[] = []
  const stop = async () => {
    for (const part of kept.splice(0).reverse()) await part.stop()
  }
  try {
    const started = await start(needs, (part) => {
      kept.push(part)
      return part
    })
    return { ...started, stop }
  } catch (error) {
    await stop()
    // At the start there is no caller to refuse: the folder cannot be used.
    throw error instanceof Refusal ? new ConfigError('DATA_DIR', error.message) : error
  }
}

async function start(needs: Needs, keep: Keep): Promise<Omit<RunningApp, 'stop'>> {
  const base = await openBase(needs, keep)
  const { config, log, metrics, db, clock, peers } = base
  const connections = await openConnections(base, keep)
  const { proxies, endpoint, topics, live, inboxPace, replica, deviceTransport } = connections
  const announcements = openAnnouncements(clock)
  const destinations = await openDestinationRules({ db })
  const doors = Promise.withResolvers<Doors>()
  doors.promise.catch(() => {})
  const answered: Doors['answered'] = async (...said) => (await doors.promise).answered(...said)
  await holdRestored(base)
  const { dispatch, feeding, addresses, wakeFor } = startWork(
    { ...base, announcements, destinations, rest_ms: needs.rest_ms, answered },
    connections,
    keep,
  )
  // A start that fails before the doors open must not wait for callbacks that wait for them.
  keep({ stop: () => doors.reject(new Error('the server stopped before its doors were open')) })

  const hashing = openHashing()
  const app = {
    ...base,
    ...announcements,
    live,
    replica,
    addresses,
    // Callbacks have another, because this one is closed when the telling of alerts stops.
    posting: openPosting({ addresses }),
    mailing: openMailing(config),
    securityLog: openSecurityLog(log),
    gathering: keep(openAuditBatch({ db, clock, live, log })),
    taskQuota: openTaskQuota(),
    hashing,
    passwords: openPasswords(needs.passwordCost),
    keys: openKeys({ db, clock, live, peers }),
    destinations,
    broker: { ...endpoint, ...deviceTransport, stop: endpoint.stop, toDevice: endpoint.toDevice },
    urlCheck: (company_id: number) => openUrlCheck({ addresses }, company_id),
    wake: () => (dispatch.wake(), peers.tell('wake')),
    wakeFor,
    giveTo: dispatch.giveTo,
    // Another server may lead: it looks by itself soon.
    feed: feeding.feed,
    hook: openHook({ db, clock, hashing }, config),
    acks: connections.elsewhere ? ('command' as const) : ('puback' as const),
  }
  // A device's reports free capacity only at the server it is connected to, so the others are not woken.
  const here = { wake: dispatch.wake }
  handleTopics(topics.serve, {
    ...app,
    ...here,
    replica: { ...replica, ...deviceTransport.presenceReplica },
  })
  for (const watch of [watchDevices, watchMessages, watchTasks, watchCallbacks, watchDisk])
    watch(metrics, app)
  watchConnections(metrics, endpoint)

  const tls = config.TLS && keep(openTls({ certificate: config.TLS, clock, log }))
  if (tls) watchCertificate(metrics, tls)
  const installation = {
    backup_folder: config.DATABASE_URL === undefined ? join(config.DATA_DIR, BACKUP_FOLDER) : undefined,
    freeBytes: base.diskSpace.freeBytes,
    certificateExpires: () => tls?.expires_at(),
  }
  keep(startAlertTelling(app))
  keep(startAlertChecks({ db, clock, live, log, replica, rules: base.numbers.rules, installation }))
  let running = false
  const http = keep(
    openHttp({
      config,
      proxies,
      tls,
      console_folder: CONSOLE,
      log,
      metrics,
      authenticate: (token, address) =>
        token.startsWith('sdk_') ? app.keys.authenticate(token, address) : authenticate(app, token),
      onForbidden: openRefusals(app),
      readiness: () => readinessOf(running, app, deviceTransport),
    }),
  )
  const atBroker = await connectToExternalBroker(
    {
      ...app,
      deviceTransport,
      received: topics.received,
      waitForInbox: inboxPace.wait,
      arrived: openResendTo(app),
    },
    config,
  )
  if (atBroker) keep(atBroker)
  const mqtt = await listenMqtt(endpoint, config, tls)
  // Devices link over HTTP, which starts last, so its address is not known before.
  const mqttUrl = (host: string, through_proxy?: string) => mqtt.urlFor(host, http.url(), through_proxy)
  serveRoutes(http.serve, { ...app, mqttUrl })
  http.assertAllServed(routes)
  const opened = keep(await openDoors({ ...app, http, tls }))
  doors.resolve(opened)
  endpoint.attach(http.server)
  const address = await http.listen()
  warnIfInTheClear({ log, config, address })

  // Last, when nothing can fail any more: no later start could show a password that this one generated.
  const firstUser = await makeFirstUser(app, config.ADMIN_USERNAME, config.ADMIN_PASSWORD)
  // Not earlier, because delays during the start affect no client.
  watchEventLoop(metrics)
  running = true
  // Keeps serving until load balancers have seen that this server is no longer ready.
  keep({ stop: () => wait(config.DRAIN_SECS * 1_000) })
  keep({
    stop() {
      running = false
      http.retire()
    },
  })
  return {
    url: http.url(),
    mqtt_port: mqtt.port,
    mqtts_port: mqtt.secure_port,
    kannel_port: opened.kannel_port,
    smpp_port: opened.smpp_port,
    smtp_port: opened.smtp_port,
    firstUser,
    renewCertificate: () => tls?.look(),
  }
}
