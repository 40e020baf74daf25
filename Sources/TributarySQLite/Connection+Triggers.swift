import CSQLite

extension Connection {
  /// Has triggers fire, or not, on this connection. Prepared statements are compiled anew.
  public func setTriggers(firing: Bool) {
    tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, firing ? 1 : 0)
  }
}
