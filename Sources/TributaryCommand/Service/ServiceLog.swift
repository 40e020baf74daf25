import Glibc
import TributaryCore
import TributaryFiles

/// Writes what happens in a service to standard error, one line for each event.
struct ServiceLog: Sendable {
  /// The severity of an event, numbered as in *syslog(3)*.
  enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      }
    }
  }

  /// The form of the lines.
  enum Form: String, Sendable, CaseIterable {
    /// Words of the form `name=value`; values with spaces are in double quotes.
    case logfmt
    case json
  }

  /// A field of an event.
  enum Field: Sendable {
    case text(String)
    case number(Int)
  }

  let output: Output
  var form: Form
  /// Whether the journal reads the lines. It knows the time, and takes the level from the prefix.
  let isJournal: Bool
  let clock: any WallClock

  init(
    output: Output, form: Form, isJournal: Bool = ServiceLog.isJournal,
    clock: any WallClock = SystemClock()
  ) {
    self.output = output
    self.form = form
    self.isJournal = isJournal
    self.clock = clock
  }

  /// Whether standard error leads to systemd's journal. *systemd.exec(5)*, JOURNAL_STREAM
  static var isJournal: Bool {
    guard let text = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: text) == "\(status.st_dev):\(status.st_ino)"
  }

  /// Writes an event.
  func write(_ level: Level, _ event: String, _ fields: [(name: String, value: Field)] = []) {
    var all: [(name: String, value: Field)] = []
    if !isJournal {
      all.append(("time", .text(Timestamp.text(milliseconds: clock.milliseconds()))))
    }
    all.append(("level", .text(level.name)))
    all.append(("event", .text(event)))
    all += fields
    let prefix = isJournal ? "<\(level.rawValue)>" : ""
    output.writeError(prefix + line(all) + "\n")
  }

  private func line(_ fields: [(name: String, value: Field)]) -> String {
    switch form {
    case .logfmt:
      return fields.map { name, value in
        switch value {
        case .text(let text): "\(name)=\(Self.word(text))"
        case .number(let number): "\(name)=\(number)"
        }
      }.joined(separator: " ")
    case .json:
      var json = JSONWriter()
      json.object { json in
        for (name, value) in fields {
          switch value {
          case .text(let text): json.member(name, text)
          case .number(let number): json.member(name, number)
          }
        }
      }
      return json.text
    }
  }

  /// Returns a value as one word, or in quotes as in JSON.
  private static func word(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { character in
      character.value > 0x20 && character.value != 0x7F && character != "\"" && character != "="
        && character != "\\"
    }
    if isPlain, !text.isEmpty { return text }
    var json = JSONWriter()
    json.string(text)
    return json.text
  }
}
