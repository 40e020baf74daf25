import Glibc

/// Collects figures and prints them, each as soon as it is known if the form allows.
struct Report {
  private let form: any ReportForm
  private var entries: [Entry] = []

  init(_ form: any ReportForm) { self.form = form }

  func printHead() { put(form.head) }

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    put(form.line(entry))
  }

  func printEnd(_ machine: Machine) { put(form.end(entries, machine.description)) }

  private func put(_ text: String?) {
    guard let text else { return }
    print(text)
    // A user who waits for minutes wants to see what is already there.
    fflush(nil)
  }
}

/// The format of a report. A part that is `nil` is not printed.
protocol ReportForm {
  var head: String? { get }
  func line(_ entry: Entry) -> String?
  func end(_ entries: [Entry], _ machine: String) -> String?
}
