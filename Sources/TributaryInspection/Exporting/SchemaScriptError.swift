/// A schema in a container that does more than create tables and the like.
package struct SchemaScriptError: Error, CustomStringConvertible {
  package let statement: String

  package var description: String {
    "the schema in the container contains a statement that creates nothing: \(statement); leave --schema out"
  }
}
