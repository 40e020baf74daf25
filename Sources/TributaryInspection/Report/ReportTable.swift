/// What a report says of one table.
package struct ReportTable: Equatable {
  package let name: String
  /// The content name that it belongs to, as a number of the report's list.
  package let content: Int
  package var counts = ReportChangeCounts()

  package init(name: String, content: Int) {
    self.name = name
    self.content = content
  }
}
