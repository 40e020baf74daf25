import CSQLite

/// A table without a file: a statement that reads it gets the rows of a `RowSource`.
///
/// One statement over many rows costs less than binding parameters and running a statement for each
/// row.
///
/// Source: https://www.sqlite.org/vtab.html#eponymous_virtual_tables
@_spi(Rows) public final class RowFeed {
  /// The name of the table in statements; its columns are `c0`, `c1` and so on.
  package let table: String
  fileprivate private(set) var source: RowSource?
  /// The error with which the source stopped.
  private var failure: (any Error)?

  fileprivate init(columnCount: Int) { table = "tributary_feed_\(columnCount)" }

  /// Runs a statement that reads the table once.
  ///
  /// - Throws: what the source throws, or a SQLite error.
  package func run(_ statement: Statement, from source: RowSource) throws {
    precondition(self.source == nil, "a feed serves one statement at a time")
    self.source = source
    defer {
      self.source = nil
      failure = nil
    }
    do { try statement.run() } catch { throw failure ?? error }
  }

  fileprivate func failed(_ error: any Error) { failure = error }
}

extension Connection {
  /// Returns the feed with this number of columns, the same one each time.
  package func feed(columnCount: Int) throws(SQLiteError) -> RowFeed {
    if let known = feeds[columnCount] { return known }
    let feed = RowFeed(columnCount: columnCount)
    let columns = (0..<columnCount).map { "c\($0)" }.joined(separator: ", ")
    try add(RowFeedModule(feed: feed, declaration: "CREATE TABLE x (\(columns))"))
    feeds[columnCount] = feed
    return feed
  }

  private func add(_ module: RowFeedModule) throws(SQLiteError) {
    let code = sqlite3_create_module_v2(
      handle, module.feed.table, RowFeedModule.functions, Unmanaged.passRetained(module).toOpaque()
    ) { Unmanaged<RowFeedModule>.fromOpaque($0.unsafelyUnwrapped).release() }
    if code != SQLITE_OK { throw error(code) }
  }
}

/// The module's functions that SQLite calls.
private final class RowFeedModule {
  let feed: RowFeed
  let declaration: String

  init(feed: RowFeed, declaration: String) {
    self.feed = feed
    self.declaration = declaration
  }

  // SQLite knows only the first member of each, and uses its address as the address of the whole.
  private struct Table {
    var base = sqlite3_vtab()
    var feed: Unmanaged<RowFeed>
  }

  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    let feed: Unmanaged<RowFeed>
    /// The source; the feed keeps it alive while a statement runs.
    var source: Unmanaged<RowSource>?
    var isAtEnd = false
    var row: Int64 = 0
  }

  private static func cursor(
    _ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<Cursor> {
    UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Cursor.self)
  }

  private static func advance(_ cursor: UnsafeMutablePointer<Cursor>) -> Int32 {
    do {
      let hasRow = try cursor.pointee.source?._withUnsafeGuaranteedRef { try $0.next() }
      cursor.pointee.isAtEnd = hasRow != true
    } catch {
      cursor.pointee.feed.takeUnretainedValue().failed(error)
      return SQLITE_ABORT
    }
    cursor.pointee.row += 1
    return SQLITE_OK
  }

  /// One table of functions for all connections. It is never freed, because SQLite keeps its
  /// address.
  nonisolated(unsafe) static let functions: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { handle, auxiliary, _, _, table, _ in
      let module = Unmanaged<RowFeedModule>.fromOpaque(auxiliary.unsafelyUnwrapped)
        .takeUnretainedValue()
      let code = sqlite3_declare_vtab(handle, module.declaration)
      guard code == SQLITE_OK else { return code }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(feed: .passUnretained(module.feed)))
      table.unsafelyUnwrapped.pointee = UnsafeMutableRawPointer(made)
        .assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      UnsafeMutableRawPointer(table.unsafelyUnwrapped).assumingMemoryBound(to: Table.self)
        .deallocate()
      return SQLITE_OK
    }
    // There is only one way to read the table: from the first row to the last.
    module.xBestIndex = { _, _ in SQLITE_OK }
    module.xOpen = { table, cursor in
      let table = UnsafeMutableRawPointer(table.unsafelyUnwrapped)
        .assumingMemoryBound(to: Table.self)
      let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      made.initialize(to: Cursor(feed: table.pointee.feed))
      cursor.unsafelyUnwrapped.pointee = UnsafeMutableRawPointer(made)
        .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { pointer in
      RowFeedModule.cursor(pointer).deallocate()
      return SQLITE_OK
    }
    module.xFilter = { pointer, _, _, _, _ in
      let cursor = RowFeedModule.cursor(pointer)
      let source = cursor.pointee.feed.takeUnretainedValue().source
      cursor.pointee.source = source.map { Unmanaged.passUnretained($0) }
      return RowFeedModule.advance(cursor)
    }
    module.xNext = { pointer in RowFeedModule.advance(RowFeedModule.cursor(pointer)) }
    module.xEof = { pointer in RowFeedModule.cursor(pointer).pointee.isAtEnd ? 1 : 0 }
    module.xColumn = { pointer, context, column in
      RowFeedModule.cursor(pointer).pointee.source?._withUnsafeGuaranteedRef {
        $0.give(column: Int(column), to: RowFeed.Result(context: context.unsafelyUnwrapped))
      }
      return SQLITE_OK
    }
    module.xRowid = { pointer, row in
      row.unsafelyUnwrapped.pointee = RowFeedModule.cursor(pointer).pointee.row
      return SQLITE_OK
    }
    let functions = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    functions.initialize(to: module)
    return UnsafePointer(functions)
  }()
}
