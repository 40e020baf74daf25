/// A trigger that fires on imports and does not allow some rows: an index of intervals refuses one that ends before it
/// begins.
enum RefusingTrigger {
  /// Returns what gives a table with the columns `k` and `n` such a trigger.
  static func script(_ table: String) -> String {
    """
    CREATE VIRTUAL TABLE span USING rtree(id, low, high);
    CREATE TRIGGER note AFTER INSERT ON \(table) BEGIN
      INSERT OR REPLACE INTO span VALUES (new.k, 0, new.n);
    END;
    CREATE TRIGGER note_again AFTER UPDATE ON \(table) BEGIN
      INSERT OR REPLACE INTO span VALUES (new.k, 0, new.n);
    END
    """
  }

  static let message = "rtree constraint failed"
}
