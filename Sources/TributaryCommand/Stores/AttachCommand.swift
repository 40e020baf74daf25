import TributaryCore
import TributaryStore
import TributarySync

/// `tributary attach`: makes a database a store.
struct AttachCommand: Command {
  private static let container = CommandOption(
    "container", argument: "DIR", kind: .directory, isRequired: true, help: "the shared directory")
  private static let name = CommandOption(
    "name", argument: "NAME", isRequired: true, help: "the content name, the same on every device")
  private static let contentRoot = CommandOption(
    "content-root", argument: "DIR",
    help: "where content lies in the container, a relative path; 'tributary' unless given")
  private static let schema = CommandOption(
    "schema", argument: "FILE|DIR", kind: .file,
    help: "the migrations: a file of SQL, or all *.sql of a directory in order of name")
  private static let peerName = CommandOption(
    "peer-name", argument: "TEXT", help: "a readable name of this device")
  fileprivate static let tables = CommandOption(
    "tables", argument: "T,...", help: "share only these tables")
  fileprivate static let except = CommandOption(
    "except", argument: "T,...", help: "share all tables but these")

  private static let capture = CommandOption(
    "capture", argument: "triggers|hook",
    help:
      "how writes are captured: triggers, those of any program (default); hook, only those of Tributary"
  )

  private static let copyOnce = CommandOption(
    "copy-once", argument: "T,...",
    help: "give new devices the rows that these tables, which are left out, have now")
  private static let shareContents = CommandOption(
    "share-contents", argument: "T,...",
    help: "share the rows of full-text tables that programs fill")
  private static let spaceLimit = CommandOption(
    "space-limit", argument: "BYTES",
    help: "warn when this store's log and records take more, such as 500M or 2G; 0 for no limit")
  private static let follow = CommandOption(
    "follow-schema",
    help: "take what the schemas of other devices add (default without --schema)")
  private static let stay = CommandOption(
    "no-follow-schema", help: "leave all changes of the schema to the application")
  private static let dryRun = CommandOption(
    "dry-run", help: "print what would be done, and what prevents it; change nothing")

  static let syntax = Syntax(
    "attach", summary: "make a database a store that shares its rows through a container",
    operands: [.store],
    options: [container, name, contentRoot, schema, peerName, tables, except, capture]
      + [copyOnce, shareContents] + MergeArguments.all + [
        .loadExtension, spaceLimit, follow, stay, dryRun, .json,
      ],
    exclusive: [[tables, except], [follow, stay]],
    details: """
      If STORE is missing, it is rebuilt from the logs, or made new if there are none;
      with --schema its migrations run. A database that has tables is adopted: its
      rows become its first transactions. If there are logs already, the logs win:
      rows that they lack are added, and rows that contradict them become conflicts.
      If STORE is attached already, the options that are given are applied or refused.
      If its container has moved, --container says where it is now.

      --dry-run prints how the rows of each table are identified, what refers to what,
      what is left out and why, what was declared or chosen, and what remains to be
      decided. It exits with 1 if anything is refused. It names everything that is
      refused at once, with a command line that would succeed if there is one.

      Any program may write to the STORE: triggers journal its changes, and the next
      Tributary process that opens the store records and shares them. With --capture
      hook, the next `tributary sync` notices that other programs have written, and
      finds their changes by comparing the tables with the logs, which takes as long
      as `tributary verify`. Writes that fire no trigger are found in the same way:
      those of a program that switches triggers off, blobs written in place, and
      writes to tables of more than 1,900 columns. One kind of write is not noticed: a
      blob written in place in the same transaction as rows that triggers have
      journalled. `tributary verify` shows it.

      --merge, --policy and --natural-keys declare how tables merge. The first device
      declares it before it writes the tables; later devices adopt its declarations.

      The rows of a table are identified by its PRIMARY KEY. In a table without one,
      they are identified by its first UNIQUE key of NOT NULL columns, otherwise by
      its first UNIQUE key in which no row has NULL. In a table without such a key,
      each row stands for itself: whatever several devices insert all stays. With
      --rowid-key, the rowid identifies the rows; use it for tables to which others
      refer by rowid.

      Tables that are left out exist on every device, and are empty on new ones. With
      --copy-once, new devices get the rows that such a table has now, for example the
      version of the schema; later changes stay on the device that makes them.

      What programs write to a full-text table stays on its device, unless
      --share-contents names the table. Then its rows are those of an ordinary table
      beside it (words_shared for words), which triggers keep up to date and which is
      shared.

      --load-extension applies to this device: its connections load the FILE from now
      on. The files given replace those given before; an empty FILE removes them all.

      --space-limit applies to this device. Above four fifths of the limit, the store
      compacts its segments earlier; above the limit, sync, status and doctor warn. K,
      M and G stand for 2^10, 2^20 and 2^30. Nothing is ever refused or removed
      because of the limit.

      A store that follows takes new tables, columns, indexes, triggers and views of
      other devices when an import needs them. Other changes of their schemas wait for
      the application. For a STORE that is attached already, the two options change
      whether it follows.

      If two devices give the same number to two rows, both rows stay. The later one
      moves to a negative number, or with --positive-numbers to one from 2^29 up to
      2^30, for programs that refuse negative numbers. Columns that refer to it
      follow, because of their foreign key or because --refers says so.

      --identify says which columns make two rows of a table the same, such as the
      name of a tag. Rows that several devices insert separately with equal values
      become one row, with the number of the earliest, and what refers to the others
      follows.

      Foreign keys are enforced unless some row refers to a missing one, which happens
      where programs leave foreign keys off. --foreign-keys enforce or keep decides it
      explicitly. What the first device declares or finds applies to all.
      """)

  private let store: String
  private let container: String
  private let name: String
  private let contentRoot: String?
  private let schema: String?
  private let peerName: String?
  /// The replicated tables; `nil` leaves them to the container.
  private let tables: TableSelection?
  /// How writes are captured; `nil` means triggers for a database that is attached now, and leaves others
  /// unchanged.
  private let capture: CaptureMethod?
  /// How tables merge; `nil` leaves this to the container.
  private let merge: MergeOptions?
  /// The tables whose rows are copied once; `nil` leaves them unchanged.
  private let copyOnce: [String]?
  private let shareContents: [String]
  /// The limit of disk use; `nil` leaves it unchanged.
  private let limit: UInt64?
  /// Whether the store follows schemas; `nil` means the default for a database that is attached now, and
  /// leaves others unchanged.
  private let follows: Bool?
  let isRehearsal: Bool
  private let printsJSON: Bool
  private let arguments: Arguments

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    isRehearsal = arguments.has(Self.dryRun)
    follows =
      arguments.has(Self.follow) ? true : arguments.has(Self.stay) ? false : nil
    copyOnce = try arguments.list(Self.copyOnce)
    shareContents = try arguments.list(Self.shareContents) ?? []
    limit = try SizeText.bytes(arguments, Self.spaceLimit)
    store = arguments.operands[0]
    container = try arguments.nonempty(Self.container) ?? ""
    name = arguments.required(Self.name)
    contentRoot = arguments[Self.contentRoot]
    schema = try arguments.nonempty(Self.schema)
    peerName = arguments[Self.peerName]
    if let only = try arguments.list(Self.tables) {
      tables = .only(only)
    } else if let except = try arguments.list(Self.except) {
      tables = .except(except)
    } else {
      tables = nil
    }
    if let text = arguments[Self.capture] {
      guard let method = CaptureMethod(rawValue: text) else {
        throw UsageError("--capture is triggers or hook, not \(text)")
      }
      capture = method
    } else {
      capture = nil
    }
    merge = try MergeArguments.options(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let request = try request()
    if isRehearsal {
      let report = try Engine.rehearse(request)
      return try print(report, to: output)
    }
    let progress = ProgressLine(output)
    let report: AttachReport
    do {
      report = try Engine.attach(request) { progress.show($0) }
    } catch let error as OutputError {
      throw error
    } catch {
      progress.finish()
      return try explain(error, request, to: output)
    }
    progress.finish()
    output.hasDone("\(store) is attached")
    return try print(report, to: output)
  }

  func request() throws -> AttachRequest {
    var request = AttachRequest(store: store, container: container, contentName: name)
    request.contentRoot = contentRoot
    request.migrations = try schema.map(MigrationFiles.read) ?? []
    request.peerName = peerName
    request.tables = tables
    request.merge = merge
    request.capture = capture
    request.copyOnce = copyOnce
    request.shareContents = shareContents
    request.spaceLimit = limit
    request.followsSchema = follows
    request.followsSchemaByDefault = schema == nil
    if arguments.has(.loadExtension) { request.extensions = arguments.all(.loadExtension) }
    request.defaultCapture = .triggers
    return request
  }

  private func print(_ report: AttachReport, to output: Output) throws -> ExitStatus {
    let printer = AttachPrinter(
      store: store, report: report, command: try commandLine(avoiding: report.refusals))
    if printsJSON {
      try output.line(printer.json)
    } else {
      try printer.printText(to: output)
    }
    printer.printProblems(to: output)
    if !report.refusals.isEmpty { return .failed }
    let isFine =
      report.damaged.isEmpty && report.undelivered.isEmpty
      && !report.delays.contains(where: \.needsHelp)
    return isFine ? .done : .damage
  }

  /// Returns all reasons against attaching, if an examination finds them; otherwise the one error.
  private func explain(
    _ error: any Error, _ request: AttachRequest, to output: Output
  ) throws -> ExitStatus {
    // A failed rehearsal has nothing to add, so the error itself is reported.
    guard var report = try? Engine.rehearse(request),
      error is AttachError || report.refusals.contains(where: { "\($0.cause)" == "\(error)" })
    else { throw error }
    report.isRehearsal = false
    let printer = AttachPrinter(
      store: store, report: report, command: try commandLine(avoiding: report.refusals))
    if printsJSON { try output.line(printer.json) }
    printer.printProblems(to: output)
    return .failed
  }

  /// Returns a similar command line that would not be refused; `nil` if none is known.
  private func commandLine(avoiding refusals: [AttachRefusal]) throws -> String? {
    var (arguments, refusals) = (arguments, refusals)
    arguments.set(Self.dryRun, [])
    // Leaving one thing out may cause another refusal.
    for _ in 0..<Self.attempts {
      let options = refusals.flatMap(\.options)
      guard !refusals.isEmpty, !refusals.contains(where: \.options.isEmpty),
        options.allSatisfy({ arguments.add($0) })
      else { return nil }
      refusals = try Engine.rehearse(AttachCommand(arguments).request()).refusals
      if refusals.isEmpty {
        return ShellWords.text(["tributary", "attach"] + arguments.words(for: Self.syntax))
      }
    }
    return nil
  }

  private static let attempts = 5
}

extension Arguments {
  /// Adds one more option of `attach` or, for lists of tables, one more name.
  ///
  /// - Returns: whether the command line can express that.
  fileprivate mutating func add(_ option: AttachOption) -> Bool {
    guard let known = AttachCommand.syntax.options.first(where: { $0.long == option.name }) else {
      return false
    }
    guard known == AttachCommand.except else {
      let others = known.isRepeatable ? all(known).filter { $0 != option.argument } : []
      set(known, others + [option.argument])
      return true
    }
    let isListed = has(AttachCommand.tables)
    let list = isListed ? AttachCommand.tables : AttachCommand.except
    // The parser has already accepted the list; a list that it would refuse is not extended.
    guard var names = try? self.list(list) ?? [] else { return false }
    names.removeAll { SQLName($0) == SQLName(option.argument) }
    if !isListed { names.append(option.argument) }
    guard !names.isEmpty else { return false }
    set(list, [ListText.text(names)])
    return true
  }
}
