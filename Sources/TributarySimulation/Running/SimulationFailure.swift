internal import TributaryTesting

/// A rule that did not hold.
package struct SimulationFailure: Error, CustomStringConvertible {
  /// What must always hold. When a plan is shrunk, failures of the same rule count as the same.
  package enum Rule: String, Sendable {
    case contents = "a store shows what the definition of the merge says"
    case conflicts = "conflicts are those of the definition, with the same identifiers everywhere"
    case constraints = "constraints hold, and no database is damaged"
    case digests = "with everything delivered all digests are equal"
    case complete = "everything that has arrived is imported, and nothing else"
    case lost = "every commit that was acknowledged as durable survives"
    case recorded = "each commit leaves one record of what it knew"
    case receipt = "nobody says to know what a power cut could take back"
    case ownFiles = "a store writes only its own files, and published ones never change"
    case bounded = "a synchronisation takes a bounded number of steps"
    case reported = "what is wrong with the container is in the report, and nothing else fails"
    case errors = "errors are typed"
    case reopening = "a store opens again after whatever happened"
    case quiet = "when nobody writes, nothing is written"
    case identity = "a store has the identity that it should have"
  }

  package var rule: Rule
  package var message: String

  init(_ rule: Rule, _ message: String) {
    self.rule = rule
    self.message = message
  }

  package var description: String { "broken rule: \(rule.rawValue)\n\(message)" }
}

/// Checks a rule.
///
/// - Throws: `SimulationFailure` unless the condition holds.
func demand(
  _ rule: SimulationFailure.Rule, _ condition: Bool, _ message: @autoclosure () -> String
) throws {
  if !condition { throw SimulationFailure(rule, message()) }
}

/// Runs `body`, whose errors break the rule.
func demand<Result>(
  _ rule: SimulationFailure.Rule, _ what: String, _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let failure as SimulationFailure {
    throw failure
  } catch {
    throw SimulationFailure(rule, "\(what): \(error)")
  }
}
