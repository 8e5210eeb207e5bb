import type { Metrics } from './metrics.ts'

export type FeatureMetrics = ReturnType<typeof openFeatureMetrics>

/** The metrics that features record, with their names in `/metrics`. */
export function openFeatureMetrics(metrics: Metrics) {
  return {
    commit: metrics.histogram('sdd_commit_seconds', 'Duration of a commit, which many callers may share', {
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
    }),
    callers: metrics.counter('sdd_commit_callers_total', 'Callers whose writes were committed'),
    handedOver: metrics.histogram(
      'sdd_handover_seconds',
      'Time from queueing a message until its command left for the device',
      {
        buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2, 10, 60, 600, 3600],
      },
    ),
    messages: metrics.counter('sdd_messages_total', 'Messages that reached this state', ['state']),
    callbackTries: metrics.counter('sdd_callback_tries_total', 'Attempts to deliver a callback', ['outcome']),
    handedIn: metrics.counter('sdd_tasks_handed_in_total', 'Tasks that other systems handed in', ['result']),
    retries: metrics.counter('sdd_task_retries_total', 'Tasks that went back to the queue after a failure'),
    quarantines: metrics.counter('sdd_quarantines_total', 'Device quarantines that began'),
    clockSets: metrics.counter('sdd_clock_sets_total', 'How often the clock was set', ['way']),
    strangerReports: metrics.counter(
      'sdd_stranger_reports_total',
      'Reports about a message that was not given to the device',
    ),
    inboxSlowed: metrics.counter(
      'sdd_inbox_slowed_total',
      'Received SMS that had to wait, because their device sent more than 60 in a minute',
    ),
    telemetryDropped: metrics.counter(
      'sdd_telemetry_dropped_total',
      'Fields of telemetry that were out of range, and messages beyond ten a minute of a device',
    ),
    strangeAnswers: metrics.counter(
      'sdd_strange_answers_total',
      'Answers to an order that is unknown, of another device, or already answered',
    ),
    dropped: metrics.counter('sdd_dropped_payloads_total', 'Device payloads that could not be read', [
      'topic',
      'reason',
    ]),
  }
}
