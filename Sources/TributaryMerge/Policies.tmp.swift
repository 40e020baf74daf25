import TributaryStore

enum ColumnPolicyTmp { case latest }
extension TableDescription {
  var policies: [ColumnPolicyTmp] { shape.columns.map { _ in .latest } }
  var hasNaturalKeys: Bool { false }
}
