import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay

/// `tributary log list`: lists the segments by their headers.
struct LogListCommand: Command {
  static let syntax = Syntax(
    "log list", summary: "list segments, by their headers alone", operands: [.paths],
    options: [.json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      Headers that cannot be read are reported, and the exit status is then 3. The
      baseline with which the history begins is read to its end. A damaged one is
      reported and does not count.
      """)

  private let paths: [String]
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    paths = arguments.operands
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let logs = try LogSearch().logs(at: paths)
    if logs.isEmpty { output.note("no logs here: \(paths.joined(separator: ", "))") }
    var status = ExitStatus.done
    func report(_ finding: LogFinding) {
      output.report(finding)
      status = .damage
    }
    let segments = try logs.map { log in
      let segments = try LogSegments.read([log], report: report)
      for segment in segments {
        guard let contradiction = segment.contradiction(owner: log.peer) else { continue }
        report(LogFinding(foreign: segment.path, message: contradiction))
      }
      return segments
    }
    let beginnings = LogBeginning.find(
      beside: logs, having: LogCoverage(segments.flatMap { $0 }), check: { try $0.checkWhole() },
      report: report
    ).compactMap(\.baseline)
    for beginning in beginnings { output.note(beginning) }
    for (index, (log, segments)) in zip(logs, segments).enumerated() {
      if printsJSON {
        for (index, segment) in segments.enumerated() {
          // The log of its peer may begin with the first segment.
          let beginning = index == 0 ? beginnings.first { $0.precedes(segment) } : nil
          try output.line(json(segment, log, after: beginning))
        }
      } else {
        try printTable(segments, log, isFirst: index == 0, to: output)
      }
    }
    return status
  }

  private func printTable(
    _ segments: [LogSegment], _ log: PeerLog, isFirst: Bool, to output: Output
  ) throws {
    if !isFirst { try output.line("") }
    let name = log.name.map { " (\(Escaping.escaped($0)))" } ?? ""
    if let peer = log.peer, let directory = log.directory {
      let content = directory.parentDirectory.parentDirectory
      try output.line(
        output.styled("peer \(peer)", .bold) + "\(name) in \(Escaping.escaped(content))")
    } else {
      try output.line(output.styled("segments", .bold))
    }
    if segments.isEmpty { return try output.line("  no segments") }
    var table = TextTable(
      ["SEGMENT", "FIRST", "LAST", "TRANSACTIONS", "FROM", "TO", "BYTES"],
      alignments: [.left, .right, .right, .right, .left, .left, .right], indentation: "  ",
      to: output)
    for segment in segments {
      let header = segment.header
      try table.append([
        Escaping.escaped(segment.path.lastPathComponent), header.first.description,
        header.last.description, String(header.transactionCount),
        Timestamp.text(milliseconds: header.firstTime.milliseconds),
        Timestamp.text(milliseconds: header.lastTime.milliseconds), String(segment.size),
      ])
    }
    try table.finish()
  }

  private func json(
    _ segment: LogSegment, _ log: PeerLog, after beginning: LogBaseline?
  ) -> String {
    let header = segment.header
    var json = JSONWriter()
    json.object { json in
      json.member("path", segment.path)
      json.member("peer", header.peer.description)
      if let name = log.name, log.peer == header.peer { json.member("name", name) }
      json.member("content", header.contentName)
      json.member("format", header.version.description)
      json.member("first") { $0.moment(header.first, header.firstTime) }
      json.member("last") { $0.moment(header.last, header.lastTime) }
      json.member("transactions", header.transactionCount)
      json.member("size", segment.size)
      if let horizon = header.horizon { json.member("horizon", horizon.declaration.lowerHex) }
      json.member("knowledge") { $0.knowledge(header.knowledge) }
      if let beginning { json.member(beginning: beginning) }
    }
    return json.text
  }
}

extension LogBaseline {
  /// Whether the transaction before a segment is below the horizon.
  fileprivate func precedes(_ segment: LogSegment) -> Bool {
    let first = segment.header.first
    return first > SequenceNumber(1) && first <= horizon[segment.header.peer].next
  }
}

extension SegmentHeader {
  /// The number of transactions; a segment has no gaps.
  fileprivate var transactionCount: UInt64 { last.rawValue - first.rawValue + 1 }
}

extension JSONWriter {
  fileprivate mutating func moment(_ sequence: SequenceNumber, _ time: HybridTime) {
    object { json in
      json.member("sequence", sequence.rawValue)
      json.stampMembers(time)
    }
  }
}
