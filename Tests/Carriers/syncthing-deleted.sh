# Somebody deletes files of another device, and Syncthing deletes them everywhere.
fleet a b c
for name in a b c; do serve $name; done
for name in a b c; do insert $name "$name first"; done
converge 4 a b c
everywhere() { for name in a b c; do [[ $(ls "$name/c/$log" 2>/dev/null | sort) == "$1" ]] || return 1; done; }
log=tributary/Library/peers/$(peer a)/log
soon cmp <(ls a/c/$log) <(ls b/c/$log)
files=$(ls a/c/$log | sort)
begin=$(now)
rm b/c/$log/"$(head -n 1 <<<"$files")"
soon everywhere "$files"
result "a segment of another device deleted by hand: everywhere again after $(since "$begin")"
begin=$(now)
rm -r b/c/$log
soon everywhere "$files"
result "a log of another device deleted by hand: everywhere again after $(since "$begin")"
# All that a device has: it takes the container for another one, and says so.
begin=$(now)
rm -r "b/c/${log%/log}"
soon grep -q 'event=failed' a/serve.log
result "the directory of another device deleted by hand: $(t a status store.db --json | grep -o '"trouble":{[^}]*}' | sed "s|$home/||g")"
t a doctor store.db --json >doctor.out
grep -q '"container-wiped"' doctor.out || fail "doctor: $(<doctor.out)"
insert b 'b goes on'
soon same 5 b c
insert a 'a goes on'
t a sync store.db --reseed --quiet || fail reseed
soon same 6 a b c
converge 6 a b c
result "after tributary sync --reseed on it, everywhere again: $(since "$begin")"
for name in a b c; do doctor $name || fail "doctor on $name"; done
