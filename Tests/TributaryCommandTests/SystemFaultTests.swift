import Foundation
import Testing
import TributaryTesting

/// Processes whose calls of the system fail at random: those of SQLite as well as those on the
/// container.
@Suite(.enabled(if: Shell.has("fiu-run"), "libfiu's fiu-run (fiu-utils) is not here"))
struct SystemFaultTests {
  /// In one run; more with `TRIBUTARY_SOAK_HISTORIES`.
  static let commands: UInt64 = 250

  @Test(arguments: ["*", "rw/*", "oc/*", "sync/*", "dir/*"])
  func `whatever call fails, nothing that was reported is lost, and all is well afterwards`(
    calls: String
  ) throws {
    let count = (Soak.histories ?? Self.commands) / 5
    try withTemporaryDirectory { directory in
      let end = try Shell(
        Self.script, try CommandProcess.path, directory, "\(count)", "posix/io/\(calls)"
      ).finish()
      #expect(end.status == 0, "\(end.output)")
    }
  }

  /// `$0` is the command, `$1` a directory, `$2` how many commands, `$3` which calls fail. What is
  /// random here is not to be had again by a seed: libfiu has its own.
  private static let script = #"""
    t=$0; cd "$1" || exit 99; count=$2 calls=$3
    fail() { echo "FAILED: $*"; exit 1; }
    mkdir c; : > acknowledged
    echo 'CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE, y)' > schema.sql
    for s in a b c; do "$t" attach $s.db --container c --name N --schema schema.sql -q || fail attach; done
    # Calls that always fail are noticed: so the calls that fail below are those of the command.
    noticed=0
    for words in "sql a.db INSERT/**/INTO/**/t/**/VALUES(0,0,0)" "sync a.db"; do
      fiu-run -x -f '' -c "enable name=$calls" "$t" $words > out 2>&1
      case $? in
        0) ;;
        1 | 3) noticed=1 ;;
        *) cat out; fail "$words ended so with all calls failing" ;;
      esac
    done
    [ $noticed = 1 ] || fail 'nothing has failed although every call does'
    # Until something has failed, too: what never happens proves nothing.
    i=0 failed=0
    while [ $i -lt $count ] || [ $failed = 0 ]; do
      i=$((i + 1))
      s=$(shuf -n1 -e a b c)
      case $((RANDOM % 4)) in
        0) words=(sql $s.db "INSERT INTO t VALUES ($i, 'v$((RANDOM % 50))-$i', randomblob($RANDOM % 5000))") ;;
        1) words=(sql $s.db "UPDATE t SET y = $i WHERE id % 7 = $((i % 7))") ;;
        *) words=(sync $s.db) ;;
      esac
      fiu-run -x -f '' -c "enable_random name=$calls,probability=0.0$((RANDOM % 5))$((RANDOM % 10))" \
        "$t" "${words[@]}" > out 2>&1
      status=$?
      # 3: a log that could not be read is set aside, and named. Above 4 is a crash.
      case $status in
        0) [[ ${words[2]} != INSERT* ]] || echo $i >> acknowledged ;;
        1 | 3) failed=1 ;;
        *) cat out; fail "${words[*]} ended with $status" ;;
      esac
    done
    for round in 1 2 3; do
      for s in a b c; do "$t" sync $s.db > out 2>&1 || { cat out; fail "sync $s"; }; done
    done
    [ "$("$t" digest a.db)" = "$("$t" digest b.db)" ] || fail 'a and b differ'
    [ "$("$t" digest a.db)" = "$("$t" digest c.db)" ] || fail 'a and c differ'
    for s in a b c; do
      "$t" verify $s.db > out 2>&1 || { cat out; fail "verify $s"; }
      "$t" doctor $s.db > out 2>&1 || { cat out; fail "doctor $s"; }
      [ "$("$t" sql $s.db 'PRAGMA integrity_check')" = ok ] || fail "integrity of $s"
      "$t" sql $s.db 'SELECT id FROM t' | sort > present
      lost=$(sort acknowledged | comm -23 - present)
      [ -z "$lost" ] || fail "$s lacks" $lost
    done
    """#
}
