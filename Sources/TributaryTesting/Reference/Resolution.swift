internal import TributaryCore

/// Decides which living rows are visible, and which are held because the constraints do not allow
/// all of them together.
struct Resolution {
  enum Verdict { case undecided, visible, held }

  /// A reference of a living row, by the position of its foreign key.
  struct Reference {
    var key: Int
    /// The living rows that it refers to, in the order in which they claim the key. There are
    /// several only if the key is not the parent's primary key.
    var parents: [ReferenceRowIdentity]
    /// The rows that the default refers to instead; they stand in for the parents.
    var substitutes: [ReferenceRowIdentity]
    /// Whether the row can be shown with NULL or the default if no parent is visible.
    var isFree: Bool
  }

  /// A claimed key of a table.
  private struct Claim: Hashable {
    var table: String
    var index: Int
    var values: [Value]
  }

  let fold: Fold
  private(set) var verdicts: [ReferenceRowIdentity: Verdict] = [:]
  private(set) var references: [ReferenceRowIdentity: [Reference]] = [:]
  /// The rows that claim each key, the first claim first.
  private var claimants: [Claim: [ReferenceRowIdentity]] = [:]
  private let order: [ReferenceRowIdentity]

  init(of fold: Fold) {
    self.fold = fold
    order = fold.living.keys.sorted()
    for row in order {
      verdicts[row] = .undecided
      for claim in claims(of: row) { claimants[claim, default: []].append(row) }
    }
    for (claim, rows) in claimants { claimants[claim] = inOrderOfClaim(rows, claim.index) }
    for row in order { references[row] = makeReferences(of: row) }
    decide()
  }

  /// Returns rows in the order of their claims; rows with equal claims are in the order of their
  /// keys.
  private func inOrderOfClaim(
    _ rows: [ReferenceRowIdentity], _ index: Int
  ) -> [ReferenceRowIdentity] {
    rows.sorted { a, b in
      let (mine, other) = (since(a, index), since(b, index))
      return mine == other ? a < b : mine < other
    }
  }

  private func since(_ row: ReferenceRowIdentity, _ index: Int) -> Stamp {
    fold.living[row]!.claims[index]!.since.stamp
  }

  private func claims(of row: ReferenceRowIdentity) -> [Claim] {
    fold.living[row]!.claims.sorted { $0.key < $1.key }.map {
      Claim(table: row.table, index: $0.key, values: $0.value.values)
    }
  }

  // MARK: References

  private func makeReferences(of row: ReferenceRowIdentity) -> [Reference] {
    let table = fold.schema[row.table]
    return fold.living[row]!.references.sorted { $0.key < $1.key }.map { index, reference in
      let key = table.foreignKeys[index]
      let parents = rows(of: key, named: reference.values)
      guard table.canShowOtherwise(index) else {
        return Reference(key: index, parents: parents, substitutes: [], isFree: false)
      }
      // A default that refers to a row is as good as a reference to that row.
      if key.onDelete == .setDefault, let target = key.target(table.defaults) {
        return Reference(
          key: index, parents: parents, substitutes: rows(of: key, named: target), isFree: false)
      }
      return Reference(key: index, parents: parents, substitutes: [], isFree: true)
    }
  }

  private func rows(of key: ReferenceForeignKey, named name: [Value]) -> [ReferenceRowIdentity] {
    let found = order.filter {
      $0.table == key.parent && key.name(ofParent: fold.living[$0]!.values) == name
    }
    guard found.count > 1 else { return found }
    let columns = Set(key.parentColumns.map(\.name))
    let index = fold.schema[key.parent].uniqueKeys.firstIndex { $0.columns == columns }
    guard let index else { return found }
    return inOrderOfClaim(found, index)
  }

  // MARK: The rules

  private func count(_ rows: [ReferenceRowIdentity], _ verdict: Verdict) -> Int {
    rows.count { verdicts[$0] == verdict }
  }

  private mutating func decide() {
    while true {
      if apply(.held, where: { resolution, row in resolution.mustBeHeld(row) }) { continue }
      if apply(.visible, where: { resolution, row in resolution.mustBeVisible(row) }) { continue }
      guard breakCircle() else { return }
    }
  }

  /// Decides all undecided rows that a rule applies to; returns whether there were any.
  private mutating func apply(
    _ verdict: Verdict, where rule: (Resolution, ReferenceRowIdentity) -> Bool
  ) -> Bool {
    var applied = false
    for row in order where verdicts[row] == .undecided && rule(self, row) {
      verdicts[row] = verdict
      applied = true
    }
    return applied
  }

  /// Rule 1.
  private func mustBeHeld(_ row: ReferenceRowIdentity) -> Bool {
    references[row]!.contains { reference in
      !reference.isFree
        && (reference.parents + reference.substitutes).allSatisfy { verdicts[$0] == .held }
    } || claims(of: row).contains { count(claimants[$0]!, .visible) > 0 }
  }

  /// Rule 2.
  private func mustBeVisible(_ row: ReferenceRowIdentity) -> Bool {
    references[row]!.allSatisfy { reference in
      let parents = reference.parents + reference.substitutes
      return reference.isFree || count(parents, .visible) > 0
        || hasNoRival(row) && parents.contains(row)
    }
      && claims(of: row).allSatisfy { claim in
        claimants[claim]!.prefix { $0 != row }.allSatisfy { verdicts[$0] == .held }
      }
  }

  private func hasNoRival(_ row: ReferenceRowIdentity) -> Bool {
    claims(of: row).allSatisfy { claimants[$0]!.count == 1 }
  }

  /// Rule 3; returns whether anything was undecided.
  private mutating func breakCircle() -> Bool {
    let undecided = order.filter { verdicts[$0] == .undecided }
    if undecided.isEmpty { return false }
    let rivals = undecided.filter { earliestRivalry(of: $0) != nil }
    let first = rivals.min { a, b in
      let (mine, other) = (earliestRivalry(of: a)!, earliestRivalry(of: b)!)
      return mine == other ? a < b : mine < other
    }
    guard let first else {
      for row in undecided { verdicts[row] = .visible }
      return true
    }
    var together: [ReferenceRowIdentity] = []
    var open = [first]
    while let row = open.popLast() {
      if together.contains(row) { continue }
      together.append(row)
      open += references[row]!.compactMap(undecidedParent)
    }
    let claimed = together.flatMap(claims(of:))
    if Set(claimed).count < claimed.count {
      verdicts[first] = .held
    } else {
      for row in together { verdicts[row] = .visible }
    }
    return true
  }

  /// Returns when a row first claimed a key that another undecided row also claims.
  private func earliestRivalry(of row: ReferenceRowIdentity) -> Stamp? {
    claims(of: row).filter { count(claimants[$0]!, .undecided) > 1 }
      .map { since(row, $0.index) }.min()
  }

  /// Returns the undecided row that a row needs in order to be visible.
  private func undecidedParent(of reference: Reference) -> ReferenceRowIdentity? {
    let candidates = reference.parents + reference.substitutes
    if reference.isFree || count(candidates, .visible) > 0 { return nil }
    return candidates.first { verdicts[$0] == .undecided }
  }

  // MARK: What it comes to

  /// Whether the row that a reference means, rather than a stand-in, is visible.
  func hasVisibleParent(_ reference: Reference) -> Bool { count(reference.parents, .visible) > 0 }

  /// Whether a reference holds its row.
  func holds(_ reference: Reference) -> Bool {
    !reference.isFree && count(reference.parents + reference.substitutes, .visible) == 0
  }

  /// Returns the visible row that has a key claimed by another row; the first one in the order of
  /// the keys.
  func rival(of row: ReferenceRowIdentity) -> (index: Int, row: ReferenceRowIdentity)? {
    for claim in claims(of: row) {
      if let rival = claimants[claim]!.first(where: { verdicts[$0] == .visible }), rival != row {
        return (claim.index, rival)
      }
    }
    return nil
  }
}

extension ReferenceTable {
  /// Whether the columns of a foreign key can show NULL or the defaults, as ON DELETE requires.
  fileprivate func canShowOtherwise(_ index: Int) -> Bool {
    let key = foreignKeys[index]
    guard key.onDelete == .setNull || key.onDelete == .setDefault else { return false }
    return key.columns.allSatisfy { name in
      let column = self[column: name]
      let shown = key.onDelete == .setNull ? .null : column.defaultValue
      return !(column.isNotNull && shown == .null) && !isKey(name)
        && !uniqueKeys.contains { $0.columns.contains(name) }
        && !foreignKeys.indices.contains {
          $0 != index && foreignKeys[$0].isEnforced && foreignKeys[$0].columns.contains(name)
        }
    }
  }
}
