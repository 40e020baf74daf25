import CSQLite

extension Connection {
  /// Interrupts the running statement of a connection from another thread.
  package struct Interrupter: @unchecked Sendable {
    // SQLite allows this call from any thread while the connection is open.
    fileprivate let handle: OpaquePointer

    /// Has the statement that is running fail with `SQLITE_INTERRUPT`. The connection must be open.
    ///
    /// Source: https://www.sqlite.org/c3ref/interrupt.html
    package func interrupt() { sqlite3_interrupt(handle) }
  }

  package var interrupter: Interrupter { Interrupter(handle: handle) }
}
