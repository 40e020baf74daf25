import Foundation
import Testing
import TributaryTesting

/// Processes whose system's clock is wrong by years, and jumps.
@Suite(.enabled(if: Shell.has("faketime"), "faketime is not here"))
struct WrongClockTests {
  @Test func `clocks decades apart and jumping back lose nothing, and doctor says whose it is`()
    throws
  {
    try withTemporaryDirectory { directory in
      let end = try Shell(Self.script, try CommandProcess.path, directory).finish()
      #expect(end.status == 0, "\(end.output)")
    }
  }

  /// `$0` is the command, `$1` a directory.
  private static let script = #"""
    t=$0; cd "$1" || exit 99
    fail() { echo "FAILED: $*"; exit 1; }
    at() { local time=$1; shift; faketime -f "$time" "$t" "$@" > out 2>&1 || { cat out; fail "$time $*"; }; }
    mkdir c
    echo 'CREATE TABLE t (id INTEGER PRIMARY KEY, x)' > schema.sql
    for s in past now future; do
      "$t" attach $s.db --container c --name N --schema schema.sql --peer-name $s -q || fail attach
    done
    # Each as it comes: one device's clock goes forward and back between two writes.
    n=0
    for offset in -20y +0 +30y -5d +1h -1y; do
      for s in past now future; do
        n=$((n + 1))
        case $s in
          past) at -20y sql past.db "INSERT INTO t VALUES ($n, 'past')" ;;
          now) at $offset sql now.db "INSERT INTO t VALUES ($n, 'now')" ;;
          future) at +30y sql future.db "INSERT INTO t VALUES ($n, 'future')" ;;
        esac
        at $offset sync $s.db
      done
    done
    # Cause before effect, whatever the clocks say: what has seen a write wins over it.
    for s in past now future; do at -20y sync $s.db; done
    for s in past now future; do
      at -20y sync past.db; at -20y sync now.db; at -20y sync future.db
      at -20y sql $s.db "UPDATE t SET x = 'last of $s' WHERE id = 1"
      at -20y sync $s.db
    done
    for round in 1 2; do for s in past now future; do "$t" sync $s.db -q || fail sync; done; done
    for s in past now future; do
      [ "$("$t" sql $s.db 'SELECT count(*) FROM t')" = $n ] || fail "rows of $s"
      [ "$("$t" sql $s.db 'SELECT x FROM t WHERE id = 1')" = 'last of future' ] || fail "cause and effect in $s"
      "$t" verify $s.db > out || { cat out; fail "verify $s"; }
    done
    [ "$("$t" digest past.db)" = "$("$t" digest now.db)" ] || fail digests
    [ "$("$t" digest past.db)" = "$("$t" digest future.db)" ] || fail digests
    "$t" doctor past.db > out; [ $? = 3 ] || { cat out; fail 'doctor finds nothing'; }
    grep -q '"future") has written at' out || { cat out; fail 'doctor does not name the device'; }
    """#
}
