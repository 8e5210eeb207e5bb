import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { routes } from '@sdd/contract/app/api.ts'
import { deviceInbox } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import { openAnnouncements } from './announcing.ts'
import { openKeys } from '#server/accounts/api-keys/authenticating.ts'
import { openGathering } from '#server/accounts/audit/gathering.ts'
import { openRefusals } from '#server/accounts/audit/refusals.ts'
import { authenticate } from '#server/accounts/auth/auth.ts'
import { admitBrowser, startSessionGuard } from '#server/accounts/auth/guard.ts'
import { openHashing } from '#server/accounts/passwords/hashing.ts'
import { openAddresses, openUrlCheck } from '#server/outward/callbacks/addresses.ts'
import { startDelivery } from '#server/outward/callbacks/delivery.ts'
import { watchCallbacks } from '#server/outward/callbacks/figures.ts'
import { openPosting } from '#server/outward/callbacks/posting.ts'
import { openResolving } from '#server/outward/callbacks/resolving.ts'
import { openTime } from '#server/core/time/time.ts'
import { AT_START, bringBack, startClockWatch } from './clock/set-back.ts'
import { type Config, ConfigError } from '#server/core/config.ts'
import { openTls, watchCertificate } from '#server/core/certificate.ts'
import { openProxies } from '#server/core/address.ts'
import type { Clock } from '#server/core/clock.ts'
import { watchEventLoop } from '#server/core/event-loop.ts'
import { openHttp } from '#server/core/http/http.ts'
import { warnIfInTheClear } from '#server/core/in-the-clear.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openSecurityLog } from '#server/core/security-log.ts'
import { openTopics } from '#server/core/topics.ts'
import { startUpkeep } from '#server/insight/dashboard/upkeep.ts'
import { watchDisk } from '#server/app/disk-metrics.ts'
import { openDatabase } from '#server/database/open.ts'
import { unseenRoom, watchRoom } from '#server/core/room.ts'
import { startBackups } from '#server/app/backups.ts'
import { openDestinationRules } from '#server/messages/destinations/rules.ts'
import { meetAtBroker } from '#server/fleet/transport/at-broker.ts'
import { openMqttEndpoint } from '#server/fleet/transport/endpoint.ts'
import { watchConnections } from '#server/fleet/transport/metrics.ts'
import { openDeviceTransport } from '#server/fleet/transport/transport.ts'
import { openHook } from '#server/fleet/transport/hook.ts'
import { admitDevice } from '#server/fleet/devices/devices.ts'
import { startEndings } from '#server/fleet/presence/endings.ts'
import { watchDevices } from '#server/fleet/devices/figures.ts'
import { startLastSeen } from '#server/fleet/presence/last-seen.ts'
import { openFigures } from '#server/core/figures.ts'
import { startLive } from '#server/core/live.ts'
import { startDispatch } from '#server/dispatch/dispatch.ts'
import { openInboxPace } from '#server/messages/inbox/pace.ts'
import { startIndexing } from '#server/insight/log/indexing.ts'
import { resendTo } from '#server/dispatch/resending.ts'
import { watchMessages } from '#server/messages/messages/figures.ts'
import { listenMqtt } from './mqtt.ts'
import { readinessOf } from './readiness.ts'
import { noLease } from '#server/core/replicas/lease.ts'
import { openLinks } from '#server/fleet/transport/links.ts'
import { openOthers } from '#server/core/replicas/others.ts'
import { startReplica } from '#server/fleet/presence/replica.ts'
import { serveRoutes } from './serving.ts'
import { takeTopics } from '#server/dispatch/topics.ts'
import { startRetention } from '#server/insight/retention/retention.ts'
import { openSending } from '#server/accounts/settings/sending.ts'
import { watchTasks } from '#server/tasks/figures.ts'
import { openWaitingRoom } from '#server/dispatch/waiting/waiting-room.ts'
import { makeFirstUser } from '#server/accounts/users/users.ts'

export type RunningApp = {
  /** Where the console is. */
  url: string
  mqtt_port: number | undefined
  /** Of MQTT over TLS, where there is a certificate. */
  mqtts_port: number | undefined
  /** The first superadmin, where this start made it; the password where it had to be made up. */
  firstUser: { username: string; password: string | undefined } | undefined
  /** Looks at the certificate's files now, where there are any. */
  renewCertificate(): void
  stop(): Promise<void>
}

type Needs = {
  config: Config
  log: Logger
  clock?: Clock
  /** By what the database's clock is followed, where that is. */
  ticks?: () => number
  /** How much room the disk of a folder has; the system says so where this is absent. */
  freeBytes?: (folder: string) => Promise<number>
}

/** Starts everything, or throws `ConfigError` where a setting cannot be used; then nothing is left running. */
export async function startApp(needs: Needs): Promise<RunningApp> {
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const stopLast of stops.splice(0).reverse()) await stopLast()
  }
  try {
    return { ...(await start(needs, (stopLast) => stops.push(stopLast))), stop }
  } catch (error) {
    await stop()
    // At a start it is the folder that cannot be used: no caller is there to be refused.
    throw error instanceof Refusal ? new ConfigError('DATA_DIR', error.message) : error
  }
}

async function start(
  { config, log, freeBytes, ticks, clock: given }: Needs,
  onStop: (stop: () => unknown) => void,
): Promise<Omit<RunningApp, 'stop'>> {
  const metrics = openMetrics()
  const figures = openFigures(metrics)
  const db = await openDatabase({
    url: config.DATABASE_URL,
    folder: config.DATA_DIR,
    log,
    committed(seconds, callers) {
      figures.commit.observe(seconds)
      figures.callers.inc(callers)
    },
  })
  onStop(() => db.close())
  const time = await openTime({ given, channel: db.channel, zone: config.TZ, log, ticks })
  onStop(() => time.stop())
  const { clock } = time
  const { DATA_DIR: folder, LEAST_FREE_MB: least_free_mb } = config
  // What room PostgreSQL has is on its own machine, and its operator's to watch.
  const room =
    config.DATABASE_URL === undefined
      ? await watchRoom({ folder, least_free_mb, log, ...(freeBytes && { look: freeBytes }) })
      : unseenRoom
  onStop(() => room.stop())
  await bringBack({ db, clock }, AT_START)
  const others = openOthers(db.channel)
  const sending = await openSending({ db, others, log })

  const topics = openTopics({ log, dropped: figures.dropped })
  const proxies = openProxies(config.PROXIES ?? [])
  // Devices connect to an external broker, and only browsers come here.
  const elsewhere = config.MQTT_URL !== undefined
  const endpoint = openMqttEndpoint({
    log,
    proxies,
    rules: {
      admitDevice(uid, secret) {
        // It could report nothing: it comes again, later each time.
        if (elsewhere) return Promise.resolve(undefined)
        const fault = db.fault() ?? (replica.holds() ? undefined : noLease())
        return fault ? Promise.reject(fault) : admitDevice({ db }, uid, secret)
      },
      admitBrowser: (token) => admitBrowser({ db, clock }, token),
      received: topics.received,
      delay: (from, topic) => (topic === deviceInbox ? inboxPace.wait(from) : 0),
      gone: (from) => endings.note(from),
    },
  })
  const live = startLive(endpoint.toBrowsers, others)
  onStop(() => live.stop())
  const inboxPace = openInboxPace({ db, clock, live, figures })
  const replica = await startReplica({ db, clock, live, log, lost: endpoint.disconnectDevices })
  onStop(() => replica.stop())
  const links = openLinks({ db, log, here: endpoint, others, replica: () => replica })
  onStop(() => links.stop())
  const deviceTransport = openDeviceTransport({ here: endpoint, links, replica, elsewhere })
  const endings = startEndings({ db, live, clock, log })
  onStop(() => endings.stop())
  const announcements = openAnnouncements(clock)
  const dispatch = startDispatch({
    ...announcements,
    db,
    live,
    log,
    sending,
    figures,
    replica: deviceTransport.giving,
    publish: deviceTransport.toDevice,
    publishAnywhere: deviceTransport.toDeviceAnywhere,
  })
  onStop(() => dispatch.stop())
  const wake = () => {
    dispatch.wake()
    others.tell('wake')
  }
  const wakeToGive = () => {
    dispatch.give()
    others.tell('wake')
  }
  others.hear({ wake: dispatch.wake })
  others.missed(dispatch.wake)
  const clockWatch = startClockWatch({ db, clock, log, figures, wake: dispatch.wake })
  onStop(() => clockWatch.stop())
  onStop(() => endpoint.stop())
  const guard = startSessionGuard({ db, clock, log, broker: endpoint })
  onStop(() => guard.stop())
  const lastSeen = startLastSeen({ db, clock, broker: deviceTransport, log })
  onStop(() => lastSeen.stop())
  const upkeep = startUpkeep({ db, clock, log, replica })
  onStop(() => upkeep.stop())
  if (config.DATABASE_URL === undefined) {
    const backups = startBackups({ clock, log, config, damaged: db.damaged })
    onStop(() => backups.stop())
  }
  const addresses = openAddresses(config, openResolving())
  const posting = openPosting({ addresses })
  const delivery = startDelivery({ db, clock, live, log, figures, posting, replica })
  onStop(() => delivery.stop())
  const retention = startRetention({ db, clock, log, replica })
  onStop(() => retention.stop())
  const indexing = startIndexing({ db, log })
  onStop(() => indexing.stop())

  const securityLog = openSecurityLog(log)
  const gathering = openGathering({ db, clock, live, log })
  onStop(() => gathering.stop())
  const app = {
    ...announcements,
    db,
    room,
    log,
    securityLog,
    gathering,
    live,
    waitingRoom: openWaitingRoom(),
    hashing: openHashing(),
    keys: openKeys({ db, clock, live, others }),
    sending,
    destinations: await openDestinationRules({ db }),
    broker: { ...endpoint, ...links, ...deviceTransport, stop: endpoint.stop, toDevice: endpoint.toDevice },
    replica,
    others,
    figures,
    addresses,
    urlCheck: (company_id: number) => openUrlCheck({ addresses }, company_id),
    wake,
    wakeToGive,
    hook: openHook({ db, clock }, config),
    acks: elsewhere ? ('command' as const) : ('puback' as const),
    // Devices link over HTTP, which comes up last: by then it is known.
    mqttUrl: (host: string, through_proxy?: string): string => mqtt.urlFor(host, url, through_proxy),
  }
  // What a device says makes room at the server that it is connected to.
  const here = { wake: dispatch.wake, wakeToGive: dispatch.give }
  takeTopics(topics.take, { ...app, ...here, replica: { ...replica, ...deviceTransport.hearing } })
  watchDevices(metrics, app)
  watchMessages(metrics, app)
  watchTasks(metrics, app)
  watchCallbacks(metrics, app)
  watchConnections(metrics, endpoint)
  watchDisk(metrics, app)

  const tls = config.TLS && openTls({ certificate: config.TLS, clock, log })
  if (tls) {
    onStop(() => tls.stop())
    watchCertificate(metrics, tls)
  }
  let running = false
  const http = openHttp({
    config,
    proxies,
    tls,
    console_folder: join(import.meta.dirname, '../../../console/dist'),
    log,
    metrics,
    authenticate: (token) =>
      token.startsWith('sdk_') ? app.keys.authenticate(token) : authenticate(app, token),
    onForbidden: openRefusals(app),
    readiness: () => readinessOf(running, app, deviceTransport),
  })
  onStop(() => http.stop())
  serveRoutes(http.serve, app)
  http.assertAllServed(routes)

  const atBroker = await meetAtBroker(
    {
      ...app,
      deviceTransport,
      received: topics.received,
      waitForInbox: inboxPace.wait,
      arrived: (device_id, said_ms) => resendTo(app, device_id, said_ms),
      metrics,
    },
    config,
  )
  onStop(() => atBroker?.stop())
  const mqtt = await listenMqtt(endpoint, config, tls)
  endpoint.attach(http.server)
  const { url, address } = await http.listen()
  warnIfInTheClear({ log, config, address })
  // Once nothing can fail any more: a password that this start made up is shown by this start or by none.
  const firstUser = await makeFirstUser(app, config.ADMIN_USERNAME, config.ADMIN_PASSWORD)
  // What the start itself takes is nobody's waiting.
  watchEventLoop(metrics)
  running = true
  // Nobody is turned away before whoever balances between servers has seen that this one is not ready any more.
  onStop(() => wait(config.DRAIN_SECS * 1_000))
  onStop(() => {
    running = false
    http.retire()
  })
  return {
    url,
    mqtt_port: mqtt.port,
    mqtts_port: mqtt.secure_port,
    firstUser,
    renewCertificate: () => tls?.look(),
  }
}
