import Foundation
import Glibc

/// The options of a run.
struct Options {
  var isQuick = false
  /// Whether to measure growth instead of the ordinary figures.
  var isScale = false
  /// The largest log for growth, in rows.
  var mostRows = 10_000_000
  var form: any ReportForm = TextForm()
  /// Other software to measure beside the store.
  var peers: [any Peer] = []
  /// Whether only the store's side runs.
  var isForProfiling = false
  var pattern = ""
  var rounds = 7
  /// The number of rows imported and rebuilt.
  var rows = 200_000
  var directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"

  static let usage = """
    Usage: tributary-benchmark [OPTION]…

    Measures a store against plain SQLite in alternating rounds, and says which budget each figure meets.
    Ratios are medians of the rounds' own ratios. Exits with 0 whatever the figures are.

      --quick            fewer rows and rounds; at most two minutes
      --only PATTERN     figures whose name contains PATTERN
      --scale            how costs grow instead: logs of up to 10,000,000 rows, 1,000,000 transactions, 100
                         peers, 10,000 segments, 1 GB of large values, 10,000 peers of which ten
                         write. Takes about half an hour and 15 GB on the disk
      --most-rows N      with --scale, no larger logs than this; a MB of a large value counts as
                         1,000 rows
      --rows N           rows imported and rebuilt (200,000)
      --rounds N         rounds (7)
      --peers            also other ways: the session extension, JSON triggers, cell clocks
      --peer NAME=FILE   also a loadable extension, such as cr-sqlite=crsqlite.so or
                         sqlite-sync=cloudsync.so; of others NAME=FILE:SQL says by what statement the
                         table tracks is put into their care. May be given several times
      --store-only       no plain SQLite beside it, for a profiler; capture only, and no verdict counts
      --directory PATH   where to put files while it runs ($TMPDIR or /tmp)
      --markdown         tables in Markdown
      --json             one JSON object instead of the table
      --help
    """

  /// Reads the options.
  ///
  /// - Throws: `BenchmarkError` for an unknown option.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var rows: Int?
    var rounds: Int?
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--scale": isScale = true
      case "--most-rows": mostRows = try Self.number(of: argument, &rest)
      case "--json": form = JSONForm()
      case "--markdown": form = MarkdownForm()
      case "--peers": peers = [SessionPeer(), JSONTriggerPeer(), CellClockPeer()] + peers
      case "--peer": peers.append(try LoadablePeer(Self.value(of: argument, &rest)))
      case "--store-only": isForProfiling = true
      case "--only": pattern = try Self.value(of: argument, &rest)
      case "--directory": directory = try Self.value(of: argument, &rest)
      case "--rows": rows = try Self.number(of: argument, &rest)
      case "--rounds": rounds = try Self.number(of: argument, &rest)
      case "--help", "-h":
        print(Self.usage)
        exit(0)
      default: throw BenchmarkError("\(argument) is no option; see --help")
      }
    }
    self.rows = rows ?? (isQuick ? 50_000 : 200_000)
    self.rounds = rounds ?? (isQuick ? 5 : 7)
  }

  static func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws -> String {
    guard let value = rest.popFirst() else { throw BenchmarkError("\(option) wants a value") }
    return value
  }

  private static func number(of option: String, _ rest: inout ArraySlice<String>) throws -> Int {
    guard let number = Int(try value(of: option, &rest)), number > 0 else {
      throw BenchmarkError("\(option) wants a number above 0")
    }
    return number
  }
}
