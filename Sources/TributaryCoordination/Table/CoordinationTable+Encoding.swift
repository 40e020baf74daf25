extension CoordinationTable {
  /// The format number, which is the first field. A program that does not know the number must not
  /// touch the table.
  static let format = 1

  /// The table as a file has it.
  package var encoded: [UInt8] {
    var writer = FieldWriter()
    writer.number(Self.format)
    writer.number(next)
    writer.list(processes) {
      $0.text($1.identity)
      $0.number($1.number)
      $0.text($1.name)
    }
    writer.list(presenters) {
      $0.number($1.number)
      $0.text($1.process)
      $0.text($1.path)
    }
    writer.list(claims) { $0.claim($1) }
    writer.list(messages) { $0.message($1) }
    return writer.bytes
  }

  /// Reads a table.
  ///
  /// - Parameter path: the file, for errors.
  /// - Throws: `CoordinationError` with the code `damaged` or `newerFormat`.
  package init(encoded bytes: [UInt8], path: String) throws(CoordinationError) {
    var reader = FieldReader(bytes)
    let format: Int
    do {
      format = try reader.number()
    } catch {
      throw .damaged(path)
    }
    if format > Self.format { throw .newerFormat(path) }
    do {
      guard format == Self.format else { throw FieldReader.Damaged() }
      try read(&reader)
    } catch {
      throw .damaged(path)
    }
  }

  private mutating func read(_ reader: inout FieldReader) throws(FieldReader.Damaged) {
    next = try reader.number()
    processes = try reader.list { (reader) throws(FieldReader.Damaged) in
      ProcessRecord(
        identity: try reader.text(), number: try reader.number(), name: try reader.text())
    }
    presenters = try reader.list { (reader) throws(FieldReader.Damaged) in
      PresenterRecord(
        number: try reader.number(), process: try reader.text(), path: try reader.text())
    }
    claims = try reader.list { (reader) throws(FieldReader.Damaged) in try reader.claim() }
    messages = try reader.list { (reader) throws(FieldReader.Damaged) in try reader.message() }
    guard reader.isAtEnd else { throw FieldReader.Damaged() }
  }
}

extension FieldWriter {
  fileprivate mutating func claim(_ claim: Claim) {
    number(claim.number)
    text(claim.process)
    text(claim.purpose)
    number(claim.presenter)
    list(claim.under) { $0.number($1) }
    list(claim.items) {
      $0.text($1.path)
      switch $1.access {
      case .reading(let options):
        $0.number(0)
        $0.number(options.rawValue)
      case .writing(let options):
        $0.number(1)
        $0.number(options.rawValue)
      }
    }
    number(claim.phase.rawValue)
    number(claim.turn)
    list(claim.relinquished) { $0.number($1) }
    text(claim.failure)
  }

  fileprivate mutating func message(_ message: PresenterMessage) {
    number(message.number)
    number(message.presenter)
    number(message.kind.rawValue)
    number(message.claim)
    text(message.path)
    text(message.otherPath)
    number(message.isDelivered ? 1 : 0)
  }
}

extension FieldReader {
  fileprivate mutating func claim() throws(Damaged) -> Claim {
    var claim = Claim(
      number: try number(), process: try text(), purpose: try text(), presenter: try number(),
      under: try list { (reader) throws(Damaged) in try reader.number() },
      items: try list { (reader) throws(Damaged) in
        let path = try reader.text()
        return ClaimItem(
          path: path,
          access: try reader.number() == 0
            ? .reading(.init(rawValue: try reader.number()))
            : .writing(.init(rawValue: try reader.number())))
      })
    guard let phase = Claim.Phase(rawValue: try number()) else { throw Damaged() }
    claim.phase = phase
    claim.turn = try number()
    claim.relinquished = try list { (reader) throws(Damaged) in try reader.number() }
    claim.failure = try text()
    return claim
  }

  fileprivate mutating func message() throws(Damaged) -> PresenterMessage {
    let number: UInt64 = try number()
    let presenter: UInt64 = try self.number()
    guard let kind = PresenterMessage.Kind(rawValue: try self.number()) else { throw Damaged() }
    return PresenterMessage(
      number: number, presenter: presenter, kind: kind, claim: try self.number(),
      path: try text(), otherPath: try text(), isDelivered: try self.number() == 1)
  }
}
