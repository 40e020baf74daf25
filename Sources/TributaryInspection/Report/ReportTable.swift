/// The part of a report about one table.
package struct ReportTable: Equatable {
  package let name: String
  /// The number, in the report, of the content name that it belongs to.
  package let content: Int
  package var counts = ChangeTally()

  package init(name: String, content: Int) {
    self.name = name
    self.content = content
  }
}
