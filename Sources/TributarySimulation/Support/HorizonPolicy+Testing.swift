package import TributarySync
internal import TributaryTesting

extension HorizonPolicy {
  /// Nothing is proposed, promised, forgotten or removed.
  package static var off: HorizonPolicy {
    var policy = HorizonPolicy()
    policy.isOn = false
    return policy
  }

  /// A store that can propose does so at once, and waits an hour for what is lost.
  package static var eager: HorizonPolicy {
    var policy = HorizonPolicy()
    policy.isOn = true
    policy.minimumAge = 0
    policy.interval = 1
    policy.courtesy = 0
    policy.lossPatience = 3_600_000
    policy.period = 0
    return policy
  }
}
