import TributaryReplay

/// What one session has found out about files, and need not find out again.
struct ExchangeMemory: Sendable {
  let verified = VerifiedSegments()
  let times = SegmentTimes()
  let agreement = SegmentAgreement()
  let manifests = ManifestCache()
  let log = WriteAheadLog()
}
