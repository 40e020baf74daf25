import CSQLite

@_spi(Rows) extension RowFeed {
  /// The destination of a value of the current row.
  @_spi(Rows) public struct Result {
    let context: OpaquePointer

    @inline(__always)
    public func giveNull() { sqlite3_result_null(context) }

    @inline(__always)
    public func give(_ integer: Int64) { sqlite3_result_int64(context, integer) }

    @inline(__always)
    public func give(_ real: Double) { sqlite3_result_double(context, real) }

    /// Gives text without copying it.
    @inline(__always)
    public func give(borrowedText bytes: UnsafeRawBufferPointer) {
      tributary_result_text(context, bytes.orEmpty, UInt64(bytes.count))
    }

    /// Gives a blob without copying it.
    @inline(__always)
    public func give(borrowedBlob bytes: UnsafeRawBufferPointer) {
      tributary_result_blob(context, bytes.orEmpty, UInt64(bytes.count))
    }
  }
}
