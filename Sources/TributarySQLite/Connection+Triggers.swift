import CSQLite

extension Connection {
  /// Switches the triggers on this connection on or off. Prepared statements are compiled anew.
  package func setTriggers(firing: Bool) {
    tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, firing ? 1 : 0)
  }
}
