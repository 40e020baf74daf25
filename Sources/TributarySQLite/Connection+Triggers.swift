import CSQLite

extension Connection {
  /// Switches the triggers on this connection on or off. Prepared statements are recompiled.
  package func setTriggers(firing: Bool) {
    tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, firing ? 1 : 0)
  }

  /// Runs a body while no trigger fires. Afterwards, triggers fire as they did before.
  package func withoutTriggers<Result>(_ body: () throws -> Result) rethrows -> Result {
    let fired = tributary_is_enabled(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER) != 0
    setTriggers(firing: false)
    defer { setTriggers(firing: fired) }
    return try body()
  }
}
